#pragma once

#include <vector>

#include "tests/evaluation/cluster.hpp"
#include "tests/evaluation/placement.hpp"
#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {

/// The number of iterations that are simulated for one that takes Program::iterations.
inline constexpr unsigned kSimulatedIterations = 2;

/// The times of one rank, in seconds, over all simulated iterations.
struct RankTimes {
  double run = 0;
  /// Times by step of the program.
  std::vector<double> computing;
  /// Times in MPI by step, waiting included.
  std::vector<double> exchanging;
};

/// The times of a run, by rank.
using Run = std::vector<RankTimes>;

/// Simulates kSimulatedIterations of the program with one actor for each rank: computation at the
/// pace of contention.hpp, messages over SimGrid's hosts and links. `ranks` of the program is the
/// placement's size, a power of two. Deterministic. SimGrid allows one simulation in a process: a
/// second call in the same one is an error.
Run simulate(const Cluster& cluster, const Program& program, const Placement& placement);

}  // namespace huddle::evaluation
