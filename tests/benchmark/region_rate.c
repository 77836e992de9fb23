/* One rank goes through a parallel region of OpenMP again and again, and prints what one pass took: the median over blocks, in
 * ns.
 *
 *   mpirun -np 1 region_rate [THREADS [BLOCKS [PASSES_IN_A_BLOCK]]]
 *
 * With 1 thread there is no team to wake, so that what is added by an observer is seen best. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int in_order(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static volatile int sink;

static double block_ns(int threads, int passes) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < passes; ++i) {
#pragma omp parallel num_threads(threads)
    { (void)sink; }
  }
  return (MPI_Wtime() - begin) * 1e9 / passes;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  const int blocks = argc > 2 ? atoi(argv[2]) : 40;
  const int passes = argc > 3 ? atoi(argv[3]) : 20000;
  double* times = malloc((size_t)blocks * sizeof *times);
  if (times == NULL || threads < 1 || blocks < 1 || passes < 1) return 2;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < blocks; ++i) {
    times[i] = block_ns(threads, passes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  qsort(times, (size_t)blocks, sizeof *times, in_order);
  printf("%.2f\n", times[blocks / 2]);
  free(times);
  return 0;
}
