#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "aggregator/forecast/sizes/detail/by_size.hpp"
#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The phase groups of runs of one layout, whose ranks were not moved, predicted for a problem
/// size. Groups that runs of one size only have are left out. `events`: those that all runs
/// counted, by which the counts of the result are ordered. Returns, by rank, its phases ordered by
/// group.
std::vector<std::vector<PhaseRecord>> predicted_phases(const RunsOfLayout& runs, double target,
                                                       const std::vector<std::string>& events);

/// What a rank computed in a run outside of these groups, which are ordered.
Seconds time_outside(const std::vector<std::uint64_t>& groups, const RankRecord& record);

/// The groups that predicted_phases() does not leave out; ascending.
std::vector<std::uint64_t> groups_of_several_sizes(const RunsOfLayout& runs);

}  // namespace huddle
