// Two ranks exchange messages of 8 bytes by MPI_Irecv, MPI_Isend and two MPI_Wait, and rank 0
// prints how long one exchange took: the median over blocks, in ns. WINDOW exchanges are under way
// at once: with 1, an exchange waits for the message's way; with many, for the calls' own work.
//
//   mpirun -np 2 message_rate WINDOW [BLOCKS] [EXCHANGES_IN_A_BLOCK]
#include "tests/programs/mpi_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

class Exchanges {
 public:
  Exchanges(int partner, int window)
      : partner_(partner),
        in_(static_cast<std::size_t>(window)),
        receives_(in_.size()),
        sends_(in_.size()) {}

  void run() {
    for (std::size_t i = 0; i < in_.size(); ++i)
      MPI_Irecv(&in_[i], 1, MPI_UINT64_T, partner_, 0, MPI_COMM_WORLD, &receives_[i]);
    for (MPI_Request& send : sends_)
      MPI_Isend(&out_, 1, MPI_UINT64_T, partner_, 0, MPI_COMM_WORLD, &send);
    for (MPI_Request& receive : receives_) MPI_Wait(&receive, MPI_STATUS_IGNORE);
    for (MPI_Request& send : sends_) MPI_Wait(&send, MPI_STATUS_IGNORE);
  }

 private:
  int partner_;
  std::uint64_t out_ = 1;
  std::vector<std::uint64_t> in_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
};

double block_ns(Exchanges& exchanges, int times, int window) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; i += window) exchanges.run();
  return (MPI_Wtime() - begin) * 1e9 / times;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int window = argc > 1 ? std::atoi(argv[1]) : 0;
  const int blocks = argc > 2 ? std::atoi(argv[2]) : 40;
  const int exchanges = argc > 3 ? std::atoi(argv[3]) : 25'600;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || window < 1 || blocks < 1 || exchanges % window != 0) {
    if (rank == 0)
      std::fputs("message_rate: needs 2 ranks, and a window that divides the exchanges\n", stderr);
    MPI_Finalize();
    return 2;
  }
  Exchanges work(1 - rank, window);
  block_ns(work, exchanges, window);  // connections, caches
  std::vector<double> times;
  for (int i = 0; i < blocks; ++i) times.push_back(block_ns(work, exchanges, window));
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.1f\n", times[times.size() / 2]);
  MPI_Finalize();
}
