#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/best_configuration.hpp"
#include "aggregator/forecast/outermost_regions.hpp"

namespace huddle {

/// What huddle forecast best was asked and found.
struct BestAnswer {
  double size = 1;
  bool size_told = false;  ///< whether the rows tell sizes
  BestOptions options;
  BestConfiguration best;
  /// Regions that others lie inside of.
  std::vector<ContainingRegion> containing;
};

/// A table of the reference and the first `top` candidates, and what to take, in words.
std::string best_text(const BestAnswer& answer, std::size_t top);
/// docs/formats/forecast.md.
std::string best_json(const BestAnswer& answer);

}  // namespace huddle
