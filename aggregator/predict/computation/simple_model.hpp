#pragma once

// The model of computation that needs no training: a pattern computes like the sample nearest to
// it.

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

/// The time of a pattern: the mean of the samples on it; without any, the mean of those whose
/// number of ranks a node is nearest by ratio (the denser one of two as near). With samples on one
/// pattern only, packing therefore changes nothing: contention for caches and memory shows only
/// once it was measured. `samples` is not empty.
Seconds nearest_sample_time(const std::vector<ComputationSample>& samples,
                            const std::string& pattern, std::uint32_t ranks_per_node);

}  // namespace huddle
