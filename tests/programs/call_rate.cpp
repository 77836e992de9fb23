// Two ranks make one kind of MPI call again and again, and rank 0 prints what one took: the median
// over blocks, in ns.
//
//   mpirun -np 2 call_rate allreduce|sendrecv|test [BLOCKS] [CALLS_IN_A_BLOCK]
//
// test: MPI_Test of a message that does not come, as programs do while they wait.
#include "tests/programs/mpi_program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void allreduce(int times) {
  std::uint64_t mine = 1;
  std::uint64_t sum = 0;
  for (int i = 0; i < times; ++i)
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void sendrecv(int partner, int times) {
  std::uint64_t out = 1;
  std::uint64_t in = 0;
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv(&out, 1, MPI_UINT64_T, partner, 0, &in, 1, MPI_UINT64_T, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void test(int partner, int times) {
  std::uint64_t in = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&in, 1, MPI_UINT64_T, partner, 1, MPI_COMM_WORLD, &request);
  int there = 0;
  for (int i = 0; i < times; ++i) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);  // who is done first would end the other's looking with its message
  MPI_Send(&in, 1, MPI_UINT64_T, partner, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double block_ns(const std::string& kind, int partner, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (kind == "allreduce") allreduce(times);
  if (kind == "sendrecv") sendrecv(partner, times);
  if (kind == "test") test(partner, times);
  return (MPI_Wtime() - begin) * 1e9 / times;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string kind = argc > 1 ? argv[1] : "";
  const int blocks = argc > 2 ? std::atoi(argv[2]) : 40;
  const int calls = argc > 3 ? std::atoi(argv[3]) : 20'000;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || blocks < 1 || (kind != "allreduce" && kind != "sendrecv" && kind != "test")) {
    if (rank == 0) std::fputs("call_rate: needs 2 ranks, and a kind of call\n", stderr);
    MPI_Finalize();
    return 2;
  }
  block_ns(kind, 1 - rank, calls);  // connections, caches
  std::vector<double> times;
  for (int i = 0; i < blocks; ++i) times.push_back(block_ns(kind, 1 - rank, calls));
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.1f\n", times[times.size() / 2]);
  MPI_Finalize();
}
