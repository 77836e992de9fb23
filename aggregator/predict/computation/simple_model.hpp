#pragma once

// The model of computation that needs no training: a pattern computes like the sample nearest to
// it.

#include <vector>

#include "aggregator/predict/pattern/placement.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// One measured run of the program, as far as its computation goes.
struct ComputationSample {
  Sharing sharing;
  /// Wall time outside MPI, mean over the ranks.
  Seconds time;
};

/// The time of ranks that share so: the mean of the samples that do; without any, the mean of those
/// that are nearest, by the ratios of the ranks on a die, on a package and on a node together (the
/// denser ones of two as near). With samples on one pattern only, packing therefore changes
/// nothing: contention for caches and memory shows only once it was measured. `samples` is not
/// empty.
Seconds nearest_sample_time(const std::vector<ComputationSample>& samples, const Sharing& sharing);

}  // namespace huddle::predict
