// Two ranks exchange messages of 8 bytes by MPI_Irecv, MPI_Isend and two MPI_Wait, and rank 0
// prints how long one exchange took: the median over blocks, in ns.
//
//   mpirun -np 2 message_rate [BLOCKS] [EXCHANGES_IN_A_BLOCK]
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void exchange(int partner) {
  std::uint64_t out = 1;
  std::uint64_t in = 0;
  MPI_Request receive{};
  MPI_Request send{};
  MPI_Irecv(&in, 1, MPI_UINT64_T, partner, 0, MPI_COMM_WORLD, &receive);
  MPI_Isend(&out, 1, MPI_UINT64_T, partner, 0, MPI_COMM_WORLD, &send);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

double block_ns(int partner, int exchanges) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < exchanges; ++i) exchange(partner);
  return (MPI_Wtime() - begin) * 1e9 / exchanges;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 40;
  const int exchanges = argc > 2 ? std::atoi(argv[2]) : 25'000;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || blocks < 1 || exchanges < 1) {
    if (rank == 0) std::fputs("message_rate: needs 2 ranks, and numbers above 0\n", stderr);
    MPI_Finalize();
    return 2;
  }
  block_ns(1 - rank, exchanges);  // connections, caches
  std::vector<double> times;
  for (int i = 0; i < blocks; ++i) times.push_back(block_ns(1 - rank, exchanges));
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.1f\n", times[times.size() / 2]);
  MPI_Finalize();
}
