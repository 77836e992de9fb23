#pragma once

// Internal to what writes JSON: brings nlohmann/json.

#include <nlohmann/json.hpp>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"

namespace huddle {

/// The member `containing` of docs/formats/forecast.md.
inline nlohmann::ordered_json containing_json(const std::vector<ContainingRegion>& containing) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ContainingRegion& region : containing)
    all.push_back({{"region", region.region},
                   {"inside", region.inside},
                   {"known_by", name_of(region.known_by)}});
  return all;
}

}  // namespace huddle
