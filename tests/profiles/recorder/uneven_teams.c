/* Teams whose threads don't work for the same time, and sequences of regions without MPI in between.
   usage: uneven_teams work PASSES      each region has PASSES passes with a team of 2
          uneven_teams periodic CYCLES  CYCLES times the same seven passes of four regions
          uneven_teams random PASSES    passes of these regions in no order
   To work is to sleep here: then it takes as long on a busy machine. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void work(int ms) {
  const struct timespec time = {0, ms * 1000000L};
  nanosleep(&time, NULL);
}

/* Thread 0 works three times as long as thread 1. */
static void uneven(void) {
#pragma omp parallel num_threads(2)
  work(omp_get_thread_num() == 0 ? 30 : 10);
}

/* Both work for 40 ms, and wait for each other in the middle. */
static void with_barrier(void) {
#pragma omp parallel num_threads(2)
  {
    work(omp_get_thread_num() == 0 ? 30 : 10);
#pragma omp barrier
    work(omp_get_thread_num() == 0 ? 10 : 30);
  }
}

/* The same, with the barrier at a loop's end. */
static void with_loop(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; ++i) work(i == 0 ? 30 : 10);
    work(omp_get_thread_num() == 0 ? 10 : 30);
  }
}

/* The time that threads of an inner team wait for each other is a part of the outer one's work. */
static void nested(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
      work(omp_get_thread_num() == 0 ? 10 : 30);
#pragma omp barrier
    }
  }
}

static volatile int sink;

static void of_sequence(int which) {
  switch (which) {
    case 0:
#pragma omp parallel num_threads(2)
      sink = 0;
      break;
    case 1:
#pragma omp parallel num_threads(2)
      sink = 1;
      break;
    case 2:
#pragma omp parallel num_threads(2)
      sink = 2;
      break;
    default:
#pragma omp parallel num_threads(2)
      sink = 3;
      break;
  }
}

int main(int argc, char** argv) {
  static const int cycle[] = {0, 1, 2, 3, 2, 1, 1};
  const char* const mode = argc > 1 ? argv[1] : "work";
  const int times = argc > 2 ? atoi(argv[2]) : 10;
  MPI_Init(&argc, &argv);
  omp_set_max_active_levels(2);
  srand(1);
  for (int i = 0; i < times; ++i) {
    if (strcmp(mode, "periodic") == 0)
      for (int k = 0; k < 7; ++k) of_sequence(cycle[k]);
    if (strcmp(mode, "random") == 0) of_sequence(rand() / 7 % 4);
    if (strcmp(mode, "work") != 0) continue;
    uneven();
    with_barrier();
    with_loop();
    nested();
  }
  MPI_Finalize();
  puts("done");
  return 0;
}
