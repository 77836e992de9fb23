/* A program of LLVM's runtime of OpenMP that calls a library of GCC's: between its regions, and by
 * each thread of a region. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1000 };
long add_all(const long* values, long count);

static long values[SIZE];

int main(int argc, char** argv) {
  int rank = 0;
  const int passes = argc > 1 ? atoi(argv[1]) : 10;
  long sum = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < passes; ++i) {
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < SIZE; ++j) values[j] += j;
    sum += add_all(values, SIZE);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += add_all(values, SIZE / 2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld\n", all);
  MPI_Finalize();
  return 0;
}
