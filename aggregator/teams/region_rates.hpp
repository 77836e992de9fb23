#pragma once

#include <string>
#include <vector>

#include "profiles/formats/profile/openmp_regions.hpp"

namespace huddle {

/// TeamSample::event_rates of a region as a rank's counters saw its passes (not its whole phase):
/// instructions, references to the last cache and misses of it, each per cycle of a core. Empty if
/// one of them, or the cycles, were not counted in it. `events` are those of the rank.
std::vector<double> event_rates_of(const std::vector<std::string>& events,
                                   const OpenMpRegionRecord& region);

}  // namespace huddle
