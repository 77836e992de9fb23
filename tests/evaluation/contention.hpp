#pragma once

#include <cstdint>

#include "tests/evaluation/cluster.hpp"
#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {

/// The numbers of ranks that compute on what a rank shares, itself included; and where it is, as
/// far as places are not alike.
struct Sharers {
  std::uint32_t die = 1;
  std::uint32_t package = 1;
  std::uint32_t node = 1;
  /// With kFar: whether its die is one of those that are farther from the memory.
  bool far = false;
  /// With kNoisy: whether its node is one that is slowed down.
  bool disturbed = false;
  std::uint32_t core = 1;
  /// 0 without NUMA nodes.
  std::uint32_t numa_node = 0;

  friend auto operator<=>(const Sharers&, const Sharers&) = default;
};

/// One pass of a computation by one rank.
struct Pace {
  double seconds = 0;
  double references = 0;
  double misses = 0;
  double memory_bytes = 0;
  /// The clock of the rank's core meanwhile.
  double clock_hz = 0;
};

/// The clock of a core that is busy, computing or polling, in Hz.
double clock_of(const Cluster& cluster, const Sharers& sharers);

/// On which nodes something else runs, with kNoisy.
bool is_disturbed(std::uint32_t node);

/// Ranks on the same die, package and node do the same at the same time and get equal shares of it.
Pace pace_of(const Computation& computation, const Cluster& cluster, const Sharers& sharers);

}  // namespace huddle::evaluation
