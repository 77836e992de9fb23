#pragma once

#include <cstdint>

#include "tests/evaluation/cluster.hpp"
#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {

/// How many ranks compute on what a rank shares, itself included.
struct Sharers {
  std::uint32_t die = 1;
  std::uint32_t package = 1;
  std::uint32_t node = 1;

  friend auto operator<=>(const Sharers&, const Sharers&) = default;
};

/// One pass of a computation by one rank.
struct Pace {
  double seconds = 0;
  double references = 0;
  double misses = 0;
  double memory_bytes = 0;
  /// Of the rank's core meanwhile.
  double clock_hz = 0;
};

/// Ranks on the same die, package and node do the same at the same time and get equal shares of it.
Pace pace_of(const Computation& computation, const Cluster& cluster, const Sharers& sharers);

}  // namespace huddle::evaluation
