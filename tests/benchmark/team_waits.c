// Regions of OpenMP with pauses between them, in which one thread works on: how long they take
// depends on whether the others sleep meanwhile, and on whether they share a core. For
// tests/benchmark/wait_policy.
//
//   team_waits THREADS WORK PAUSE_US PACKED REGIONS
//
// WORK: turns of a loop of each thread in a region; PACKED: 1 binds all threads to the first CPU.
// Prints a region's 10th percentile and median, and the mean wall and processor time of a pause and
// a region, all in us.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double wall_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double cpu_us(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 +
         (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void pause_for(double us) {
  const double end = wall_us() + us;
  while (wall_us() < end) {
  }
}

static void work(long turns) {
  long sum = 0;
  for (long i = 0; i < turns; ++i) {
    sum += i * i;
    __asm__ volatile("" ::"r"(sum));
  }
}

static int by_size(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: team_waits THREADS WORK PAUSE_US PACKED REGIONS\n");
    return 2;
  }
  const int threads = atoi(argv[1]), regions = atoi(argv[5]);
  const long turns = atol(argv[2]);
  const double pause_us = atof(argv[3]);
  if (threads < 1 || regions < 1) return 2;
  if (atoi(argv[4]) == 1) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
#pragma omp parallel num_threads(threads)
    sched_setaffinity(0, sizeof first, &first);
  }
  double* const lengths = malloc(sizeof *lengths * (size_t)regions);
  if (lengths == NULL) return 1;
  const double begin = wall_us(), cpu_begin = cpu_us();
  for (int i = 0; i < regions; ++i) {
    if (pause_us > 0) pause_for(pause_us);
    const double start = wall_us();
#pragma omp parallel num_threads(threads)
    work(turns);
    lengths[i] = wall_us() - start;
  }
  const double mean = (wall_us() - begin) / regions, cpu_mean = (cpu_us() - cpu_begin) / regions;
  qsort(lengths, (size_t)regions, sizeof *lengths, by_size);
  printf("%g %g %g %g\n", lengths[regions / 10], lengths[regions / 2], mean, cpu_mean);
  free(lengths);
  return 0;
}
