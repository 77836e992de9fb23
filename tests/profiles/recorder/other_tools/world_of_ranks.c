/* A program of few calls, to be run with and without a tool that keeps a rank for itself. Rank 0
 * prints how large its world is. Its traffic, in the ranks that the MPI library knows, goes to the
 * file that is given. */
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <stdio.h>

#include "tests/programs/call_families/known_traffic.h"

enum { kRounds = 5, kBytes = 1000 };

static void go_round(int rank, int size) {
  static char out[kBytes], in[kBytes];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, kBytes, MPI_CHAR, from, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, kBytes, MPI_CHAR, to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    if (rank == 0) MPI_Send(out, 10, MPI_CHAR, to, 2, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, 10, MPI_CHAR, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank, size, real_rank, real_size, one = 1, sum = 0;
  char members[32];
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &real_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &real_size);
  go_round(rank, size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("world of %d ranks, sum %d\n", size, sum);
  fflush(stdout);

  const int first = real_rank - rank;
  snprintf(members, sizeof members, "%d-%d", first, first + size - 1);
  known_traffic_of(real_rank);
  known_sent(first + (rank + 1) % size, kRounds, kBytes);
  if (rank == 0) known_sent(first + 1, kRounds, 10);
  known_collective("allreduce", size == real_size ? "world" : members, sizeof one);
  known_collective("barrier", size == real_size ? "world" : members, 0);
  const int failed = known_traffic_write(argv[1]);
  MPI_Finalize();
  return failed;
}
