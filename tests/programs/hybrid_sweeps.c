/* A hybrid program for tests/demo-hybrid: each step has a sweep over arrays that no cache holds, which memory bounds, and a
   reduction over a smaller one that is computed upon, and then all ranks agree on a sum.
   usage: hybrid_sweeps SECONDS. Rank 0 prints its steps and how long one took at the median. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLarge = 1 << 22, kSmall = 1 << 14, kMostSteps = 1 << 18 };

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const double seconds = argc == 2 ? atof(argv[1]) : 0;
  if (!(seconds > 0)) return 2;
  MPI_Init(&argc, &argv);
  double* a = malloc(kLarge * sizeof *a);
  double* b = malloc(kLarge * sizeof *b);
  double* steps = malloc(kMostSteps * sizeof *steps);
  if (a == NULL || b == NULL || steps == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
#pragma omp parallel for
  for (int i = 0; i < kLarge; ++i) a[i] = b[i] = i % 7;
  int rank = 0, count = 0, goes_on = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double begin = MPI_Wtime();
  double total = 0;
  while (goes_on && count < kMostSteps) {
    const double step_began = MPI_Wtime();
#pragma omp parallel for
    for (int i = 0; i < kLarge; ++i) a[i] = 0.5 * (a[i] + b[i]);
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kSmall; ++i) sum += sqrt(1 + a[i] * a[i]);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    steps[count++] = MPI_Wtime() - step_began;
    goes_on = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    qsort(steps, (size_t)count, sizeof *steps, ascending);
    printf("steps %d median_ms %.3f sum %.6g\n", count, 1e3 * steps[count / 2], total);
  }
  free(a);
  free(b);
  free(steps);
  return MPI_Finalize();
}
