#pragma once

#include <vector>

#include "aggregator/teams/team_study.hpp"
#include "profiles/throttling/region_cores.hpp"

namespace huddle {

/// What a rank is to do, by the rows of its regions: one entry for all groups and positions of a
/// region where they have the same, else one for each that differs from the entry for the whole
/// region.
std::vector<RegionCores> choices_of_rank(const std::vector<const TeamRow*>& rows);

}  // namespace huddle
