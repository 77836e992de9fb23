/* A hybrid program whose regions are known: so many passes of each, with so many threads. With
 * "multiple" two threads begin regions at once. Prints a sum that does not depend on how it is run.
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1000 };
static double values[2][SIZE];

static void plain(double* v, int threads) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < SIZE; i += all) v[i] += 1;
  }
}

static void loops(double* v, int chunk) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < SIZE; ++i) v[i] += 1;
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < SIZE; ++i) v[i] += 2;
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < SIZE; ++i) v[i] += 3;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < SIZE; ++i) v[i] += 4;
#pragma omp parallel for schedule(monotonic : dynamic, 7)
  for (int i = 0; i < SIZE; ++i) v[i] += 5;
}

static void sections(double* v) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < SIZE / 2; ++i) v[i] += 1;
#pragma omp section
    for (int i = SIZE / 2; i < SIZE; ++i) v[i] += 1;
  }
}

static long reduction(const double* v) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < SIZE; ++i) sum += (long)v[i];
  return sum;
}

/* Reductions over tasks: a region that hands a table of its reductions to the runtime. */
static long task_reduction(const double* v) {
  long sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < SIZE; i += 100) {
#pragma omp task in_reduction(+ : sum)
      for (int j = i; j < i + 100; ++j) sum += (long)v[j];
    }
  }
  return sum;
}

static void nested(double* v) {
#pragma omp parallel num_threads(2)
  {
    const int half = omp_get_thread_num();
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < SIZE / 2; ++i) v[half * (SIZE / 2) + i] += 1;
  }
}

static void tasks(double* v) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < SIZE; i += 50) {
#pragma omp task
    for (int j = i; j < i + 50; ++j) v[j] += 1;
  }
}

static void only_if(double* v, int yes) {
#pragma omp parallel for if (yes)
  for (int i = 0; i < SIZE; ++i) v[i] += 1;
}

static void league(double* v) {
#pragma omp teams num_teams(2)
  {
    const int half = omp_get_team_num();
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < SIZE / 2; ++i) v[half * (SIZE / 2) + i] += 1;
  }
}

static void* other_thread(void* passes) {
  for (int i = 0; i < *(int*)passes; ++i) plain(values[1], 2);
  return NULL;
}

static void pass(double* v) {
  plain(v, 3);
  plain(v, 2);
  loops(v, 10);
  sections(v);
  nested(v);
  tasks(v);
  only_if(v, 0);
  league(v);
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  int passes = argc > 1 ? atoi(argv[1]) : 10;
  const int multiple = argc > 2 && strcmp(argv[2], "multiple") == 0;
  omp_set_max_active_levels(2);
  plain(values[0], 2); /* before MPI_Init: not recorded */
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread;
  if (multiple) pthread_create(&thread, NULL, other_thread, &passes);
  for (int i = 0; i < passes; ++i) {
    pass(values[0]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (multiple) pthread_join(thread, NULL);
  long sums[3] = {reduction(values[0]), task_reduction(values[0]), reduction(values[1])}, all[3];
  MPI_Reduce(sums, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld %ld %ld\n", all[0], all[1], all[2]);
  MPI_Finalize();
  plain(values[0], 2); /* behind MPI_Finalize: likewise */
  return 0;
}
