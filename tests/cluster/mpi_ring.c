// mpi_ring BYTES [SECONDS]: every rank sends BYTES to the next one and checks
// those from the previous one; rank 0 then sleeps for SECONDS; then each
// prints "rank R of N on HOST" and when, in seconds of the machine's clock, its
// MPI_Finalize was called and returned.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int bytes = argc > 1 ? atoi(argv[1]) : 1;
  int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  char* sent = malloc((size_t)bytes);
  char* received = calloc((size_t)bytes, 1);
  char* expected = malloc((size_t)bytes);
  memset(sent, 'a' + rank, (size_t)bytes);
  memset(expected, 'a' + previous, (size_t)bytes);
  MPI_Sendrecv(sent, bytes, MPI_BYTE, next, 0, received, bytes, MPI_BYTE, previous, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (memcmp(received, expected, (size_t)bytes) != 0) {
    fprintf(stderr, "rank %d got something else than rank %d sent\n", rank, previous);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  char host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(host, &length);
  free(expected);
  free(received);
  free(sent);
  if (rank == 0 && argc > 2) sleep((unsigned)atoi(argv[2]));
  double called = now();
  MPI_Finalize();
  printf("rank %d of %d on %s %.6f %.6f\n", rank, ranks, host, called, now());
  return 0;
}
