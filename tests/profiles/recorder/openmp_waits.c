/* A hybrid program whose threads wait for each other as it says itself: in each pass each thread
 * sleeps for a time of its own, so that no processor is needed for the truth. Prints for each rank
 * and kind of barrier how long its threads have waited, in seconds: until the last one came.
 *   openmp_waits PASSES [THREADS]
 * openmp_waits short PASSES: as many regions that do nothing. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16 };
static double came[2][MOST];

static void sleep_ms(int ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* Until the last one came, of all threads together. */
static double waited(const double* times, int threads) {
  double last = 0, sum = 0;
  for (int i = 0; i < threads; ++i) last = times[i] > last ? times[i] : last;
  for (int i = 0; i < threads; ++i) sum += last - times[i];
  return sum;
}

static void uneven(int threads, int rank) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    sleep_ms(2 + 3 * me * (rank + 1));
    came[0][me] = omp_get_wtime();
  }
}

static void with_barrier(int threads) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    sleep_ms(2 + 4 * (threads - me));
    came[0][me] = omp_get_wtime();
#pragma omp barrier
    sleep_ms(2 + 5 * (me == 1));
    came[1][me] = omp_get_wtime();
  }
}

static void nothing(int threads) {
#pragma omp parallel num_threads(threads)
  came[0][omp_get_thread_num()] = 0;
}

int main(int argc, char** argv) {
  int rank = 0, provided = 0;
  const int is_short = argc > 2 && strcmp(argv[1], "short") == 0;
  const int passes = atoi(argv[is_short ? 2 : 1]);
  const int threads = !is_short && argc > 2 ? atoi(argv[2]) : is_short ? 2 : 3;
  double implicit = 0, explicit = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < passes && !is_short; ++i) {
    uneven(threads, rank);
    implicit += waited(came[0], threads);
    with_barrier(threads);
    explicit += waited(came[0], threads);
    implicit += waited(came[1], threads);
    /* Another team, whose threads are some of the same. */
    uneven(threads - 1, 0);
    implicit += waited(came[0], threads - 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < passes && is_short; ++i) nothing(threads);
  printf("rank %d implicit %.6f explicit %.6f\n", rank, implicit, explicit);
  MPI_Finalize();
  return 0;
}
