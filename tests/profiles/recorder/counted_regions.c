/* Regions whose threads say what the counters are to count of them (fake_counters.c).
   usage: counted_regions PASSES             of each long region; its single region comes first
          counted_regions PASSES short       beside them, 20,000 passes of a region of less than a microsecond
          counted_regions PASSES multiple    a second thread has regions of its own, beside them in time */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void count_work(unsigned long long instructions, unsigned long long cycles, unsigned long long references,
                unsigned long long misses) __attribute__((weak));

static void work(unsigned long long instructions, unsigned long long cycles, unsigned long long references,
                 unsigned long long misses) {
  if (count_work != NULL) count_work(instructions, cycles, references, misses);
}

static void wait_ms(long ms) {
  const struct timespec time = {0, ms * 1000000L};
  nanosleep(&time, NULL);
}

/* A thread's first region is not counted. */
static void single(void) {
#pragma omp parallel num_threads(2)
  work(7, 7, 7, 7);
}

/* 2 instructions a cycle, no misses. */
static void computing(void) {
#pragma omp parallel num_threads(2)
  {
    work(1000000, 500000, 0, 0);
    wait_ms(3);
  }
}

/* A thread of three does another part of it: 3,600,000 cycles, one instruction of four, and 60,000 misses. */
static void missing(void) {
#pragma omp parallel num_threads(3)
  {
    const unsigned long long part = 1 + (unsigned long long)omp_get_thread_num();
    work(150000 * part, 600000 * part, 20000 * part, 10000 * part);
    wait_ms(3);
  }
}

static void brief(void) {
#pragma omp parallel num_threads(1)
  work(30, 10, 0, 0);
}

static void other(void) {
#pragma omp parallel num_threads(2)
  wait_ms(2);
}

static void* others(void* passes) {
  for (int i = 0; i < *(const int*)passes; ++i) other();
  return NULL;
}

int main(int argc, char** argv) {
  const int passes = argc > 1 ? atoi(argv[1]) : 20;
  const char* const mode = argc > 2 ? argv[2] : "";
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread;
  int other_passes = passes;
  if (strcmp(mode, "multiple") == 0 && pthread_create(&thread, NULL, others, &other_passes) != 0) return 2;
  single();
  for (int i = 0; i < passes; ++i) {
    work(5000000000ULL, 1000000, 0, 9000000); /* by one thread, in no region */
    computing();
    missing();
    for (int k = 0; k < 20000 && strcmp(mode, "short") == 0; ++k) brief();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(mode, "multiple") == 0) pthread_join(thread, NULL);
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
