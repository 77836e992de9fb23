// Calls MPI from functions whose lines the test knows.
#include <mpi.h>

__attribute__((noinline)) static void late_barrier(int rank) { // here: late_barrier
  if (rank == 0)
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < 0.05;) continue;
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile("" ::: "memory"); // no tail call
}

__attribute__((noinline)) void step(int rank) { // here: step
  late_barrier(rank);
  __asm__ volatile("" ::: "memory");
}

int main(int argc, char** argv) { // here: main
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) step(rank);
  MPI_Finalize();
  return 0;
}
