// Calls functions of MPI-4, and checks that they did what they should: with many arguments, some of
// them beyond what registers hold. Ends with 77 if this MPI does not have them.
//
//   new_calls isendrecv|allreduce_init|send_c

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>

#if defined(OPEN_MPI) && defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAS_NEW_CALLS 1
#elif MPI_VERSION >= 4
#define HAS_NEW_CALLS 1
#define HAS_LARGE_COUNTS 1
#endif

namespace {

int missing() {
  return 77;
}

#ifdef HAS_NEW_CALLS
int rank = 0;
int ranks = 1;

int exchange() {
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  int sent[3] = {rank, 7, -rank};
  int received[3] = {-1, -1, -1};
  for (int i = 0; i < 2; ++i) {
    MPI_Request request;
    MPI_Isendrecv(sent, 3, MPI_INT, right, 5, received, 3, MPI_INT, left, 5, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (received[0] != left || received[1] != 7 || received[2] != -left) return 1;
  }
  return 0;
}

int reduce_often() {
  int one = 1;
  int sum = 0;
  MPI_Request request;
  MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    sum = 0;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != ranks) return 1;
  }
  MPI_Request_free(&request);
  return 0;
}

#ifdef HAS_LARGE_COUNTS
int send_large() {
  int value = rank == 0 ? 42 : 0;
  if (rank == 0) {
    for (int to = 1; to < ranks; ++to)
      MPI_Send_c(&value, MPI_Count{1}, MPI_INT, to, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv_c(&value, MPI_Count{1}, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return value == 42 ? 0 : 1;
}
#else
int send_large() {
  return missing();
}
#endif
#endif

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = missing();
#ifdef HAS_NEW_CALLS
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "isendrecv") status = exchange();
  if (what == "allreduce_init") status = reduce_often();
  if (what == "send_c") status = send_large();
#endif
  MPI_Finalize();
  return status;
}
