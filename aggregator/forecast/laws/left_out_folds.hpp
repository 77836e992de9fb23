#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/laws/scaling_law.hpp"

namespace huddle {

/// What is left out together, and what it tells about.
struct LeftOutFold {
  /// The factor whose values are left out as a whole; kFactors: single configurations.
  std::size_t factor = kFactors;
  /// Whether the values are the largest of that factor; the smallest if `below`.
  bool beyond = false;
  bool below = false;
  /// Indices of the samples, ascending: what is fitted to, and what is left out.
  std::vector<std::size_t> training;
  std::vector<std::size_t> left_out;
};

/// The folds for a purpose. `between`: whole values of each factor that has values on both sides,
/// and, where several factors vary, single configurations too. `beyond`: the largest, the two
/// largest, ... values of each factor, as long as two stay (and, marked `below`, the smallest).
/// Empty if there are too few values.
std::vector<LeftOutFold> folds_of(const LawSamples& samples, LeftOut purpose);

}  // namespace huddle
