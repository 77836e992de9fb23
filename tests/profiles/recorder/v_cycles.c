/* A multigrid method: V-cycles over four levels for a Poisson equation in one dimension, and after
   each one all ranks agree on the residual. Smoothing is one region of OpenMP, at all levels.
   usage: v_cycles CYCLES. Its threads rest for as long as levels are meant to take: where they are
   bound to one processor, at the finest one twice as long as elsewhere, and at the others half as
   long, as if they stood in each other's way: 1.8 ms, since what has fewer than a million cycles is
   not chosen for by itself. In every 37th cycle the coarsest level is smoothed once more. Prints
   the last residual, how long the cycles took (ms), and how often smoothing was bound, by level. */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel_mask.h"

enum { kLevels = 4, kPoints = 1 << 10, kThreads = 4 };

typedef struct {
  int points;
  double *u, *f, *next;
} Level;

static Level levels[kLevels];
static long bound[kLevels];

static int is_bound(void) {
  const cpu_set_t set = kernel_mask();
  return CPU_COUNT(&set) == 1;
}

static void rest(long microseconds) {
  struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

static void smooth(int number) {
  Level* const level = &levels[number];
  const double h2 = 1.0 / ((double)level->points * level->points);
  int alone = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : alone)
  {
    alone = is_bound();
    rest(number == 0 ? (alone ? 16000 : 8000) : (alone ? 900 : 1800));
#pragma omp for
    for (int i = 1; i < level->points; ++i) {
      const double wanted = (level->u[i - 1] + level->u[i + 1] + h2 * level->f[i]) / 2;
      level->next[i] = level->u[i] + 0.66 * (wanted - level->u[i]);
    }
  }
  double* const last = level->u;
  level->u = level->next;
  level->next = last;
  bound[number] += alone == kThreads;
}

static double residual_at(const Level* level, int i) {
  const double h2 = 1.0 / ((double)level->points * level->points);
  return level->f[i] - (2 * level->u[i] - level->u[i - 1] - level->u[i + 1]) / h2;
}

static void restrict_from(int number) {
  const Level *fine = &levels[number], *coarse = &levels[number + 1];
#pragma omp parallel for num_threads(kThreads)
  for (int i = 1; i < coarse->points; ++i) {
    coarse->f[i] = (residual_at(fine, 2 * i - 1) + 2 * residual_at(fine, 2 * i) +
                    residual_at(fine, 2 * i + 1)) /
                   4;
    coarse->u[i] = 0;
  }
}

static void prolong_to(int number) {
  const Level *fine = &levels[number], *coarse = &levels[number + 1];
#pragma omp parallel for num_threads(kThreads)
  for (int i = 1; i < fine->points; ++i)
    fine->u[i] += i % 2 == 0 ? coarse->u[i / 2] : (coarse->u[i / 2] + coarse->u[i / 2 + 1]) / 2;
}

static double residual(void) {
  double own = 0, all = 0;
  for (int i = 1; i < kPoints; ++i) own += residual_at(&levels[0], i) * residual_at(&levels[0], i);
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(all);
}

int main(int argc, char** argv) {
  const long cycles = argc == 2 ? atol(argv[1]) : 0;
  if (cycles <= 0) return 2;
  MPI_Init(&argc, &argv);
  for (int number = 0; number < kLevels; ++number) {
    const int points = kPoints >> number;
    levels[number] =
        (Level){points, calloc(points + 1, sizeof(double)), calloc(points + 1, sizeof(double)),
                calloc(points + 1, sizeof(double))};
    if (levels[number].u == NULL || levels[number].f == NULL || levels[number].next == NULL)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 1; i < kPoints; ++i) levels[0].f[i] = sin(0.01 * i) + i % 3;
  const double begin = MPI_Wtime();
  double left = 0;
  for (long cycle = 0; cycle < cycles; ++cycle) {
    for (int number = 0; number + 1 < kLevels; ++number) {
      smooth(number);
      restrict_from(number);
    }
    smooth(kLevels - 1);
    if (cycle % 37 == 36) smooth(kLevels - 1);
    for (int number = kLevels - 2; number >= 0; --number) {
      prolong_to(number);
      smooth(number);
    }
    left = residual();
  }
  const double took = MPI_Wtime() - begin;
  MPI_Finalize();
  printf("residual %.17g\nms %.0f\nbound", left, 1e3 * took);
  for (int number = 0; number < kLevels; ++number) printf(" %ld", bound[number]);
  printf("\n");
  return 0;
}
