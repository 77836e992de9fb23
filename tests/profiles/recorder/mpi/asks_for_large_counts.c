/* Broadcasts with a large count where its MPI has that, as programs do that are built once for several libraries: the function is
   a weak symbol. Prints a line a rank. */
#include <mpi.h>
#include <stdio.h>

extern int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) __attribute__((weak));

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int is_there = MPI_Bcast_c != 0;
  int sent = rank + 1;
  const int status = is_there ? MPI_Bcast_c(&sent, 1, MPI_INT, 0, MPI_COMM_WORLD) : MPI_Bcast(&sent, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("%d: %d, status %d, %s\n", rank, sent, status, is_there ? "large" : "small");
  return MPI_Finalize();
}
