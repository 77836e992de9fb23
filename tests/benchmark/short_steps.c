// Steps of 20 short regions of OpenMP and an MPI_Allreduce: how long they take depends on how threads
// wait for each other. For tests/benchmark/wait_policy.
//
//   short_steps TURNS STEPS
//
// TURNS: of a loop of each thread in a region. Rank 0 prints the wall time of all steps, in s.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int turns = atoi(argv[1]), steps = atoi(argv[2]);
  int rank = 0;
  double sum = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Its threads are there from here on.
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int region = 0; region < 20; ++region) {
#pragma omp parallel reduction(+ : sum)
      {
        double mine = 0;
        for (int i = 0; i < turns; ++i) mine += i * 1e-9 * sum;
        sum += mine;
      }
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("wall %.4f\n", MPI_Wtime() - begin);
  return MPI_Finalize();
}
