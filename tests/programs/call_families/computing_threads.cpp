// OpenMP threads compute, only the first one calls MPI, between and inside the parallel regions.
// MPI_THREAD_FUNNELED.
#include <cmath>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

namespace {

using programs::expect;
using programs::Here;

constexpr int kThreads = 3;
constexpr int kRounds = 20;
constexpr int kLength = 3000;

// The masters exchange what all threads have computed; the others wait for them.
void exchange(const Here& here, const std::vector<double>& values, std::vector<double>& received) {
  MPI_Sendrecv(values.data(), kLength, MPI_DOUBLE, here.right(), 0, received.data(), kLength,
               MPI_DOUBLE, here.left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void compute(const Here& here) {
  std::vector<double> values(kLength), received(kLength, -1);
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(kThreads) default(none) shared(here, values, received, round)
    {
#pragma omp for
      for (int i = 0; i < kLength; ++i)
        values[static_cast<std::size_t>(i)] = std::sqrt(1.0 * i) + here.rank + round;
#pragma omp masked
      exchange(here, values, received);
#pragma omp barrier
    }
    expect(received[4] == 2.0 + here.left() + round, "what the left neighbour's threads computed");
    known_sent(here.right(), 1, 8 * kLength);
    const double own = values[0];
    double sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    known_collective("allreduce", "world", 8);
    expect(sum == here.ranks * (here.ranks - 1) / 2.0 + here.ranks * round, "the sum over all");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, compute, MPI_THREAD_FUNNELED);
}
