#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/forecast/call_paths.hpp"
#include "aggregator/forecast/region_means.hpp"

namespace huddle {

/// By region: the outermost region that it lies inside of; itself if that is none. `sums`: by
/// region, what its rows hold; of regions that call each other in a circle without anyone else who
/// calls them, the one with the largest sum is the outermost. A single word whose paths hold less
/// than half of it lies inside of none, as it is called from elsewhere, too.
std::vector<std::uint32_t> outermost_by_paths(const CallPaths& paths,
                                              const std::vector<double>& sums);

/// By region: whether paths that end in it hold at least half of its sum, so that it is the same
/// once more.
std::vector<bool> repeated_by_paths(const CallPaths& paths, const std::vector<double>& sums);

/// In how many configurations regions are clearly smaller than what is directly inside of them:
/// then values are exclusive, without what is inside.
std::size_t contradicting_configurations(const CallPaths& paths,
                                         const std::vector<std::vector<RegionMean>>& means);

}  // namespace huddle
