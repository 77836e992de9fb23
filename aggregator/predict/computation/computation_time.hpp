#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// One measured run of the program, as far as its computation goes.
struct ComputationSample {
  /// The pattern it ran on, "2:1:1".
  std::string pattern;
  std::uint32_t ranks_per_node = 0;
  /// Wall time outside MPI, mean over the ranks.
  Seconds time;
};

/// What is assumed of a pattern's computation, and why.
struct ComputationEstimate {
  Seconds time;
  /// Whether a sample ran on this very pattern.
  bool measured = false;
};

/// A first, simple model: the time of a pattern is the mean of the samples on it; a pattern without
/// samples computes as fast as the sample whose number of ranks a node is nearest by ratio (the
/// denser one of two as near). With samples on one pattern only, packing therefore changes nothing:
/// contention for caches and memory shows only once it was measured. `samples` is not empty.
ComputationEstimate computation_time(const std::vector<ComputationSample>& samples,
                                     const std::string& pattern, std::uint32_t ranks_per_node);

}  // namespace huddle
