#pragma once

#include "tests/evaluation/simulation.hpp"

namespace huddle::evaluation {

/// The true course of a run, as no profiler sees it. Times are of all the program's iterations.
struct Truth {
  /// Outside of MPI, mean over the ranks.
  double computation_s = 0;
  double time_s = 0;
  /// The energy of the nodes in use; those that are not are off.
  double energy_j = 0;
  std::uint32_t nodes = 0;
};

Truth truth_of(const Cluster& cluster, const Program& program, const Placement& placement,
               const Run& run);

}  // namespace huddle::evaluation
