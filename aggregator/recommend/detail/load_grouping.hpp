#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/recommend/detail/rank_frequencies.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recommend {

/// Ranks that change places in their node so that those with like loads have one package.
struct LoadGrouping {
  /// The core of each rank, as in Candidate::core_of. Each node has the same ranks, and the same
  /// cores in use, as before.
  std::vector<std::uint32_t> core_of;
  /// The share by which that lowers the sum over all ranks of (clock / highest clock)^3, which the
  /// power of their cores follows, where a package's clock is the one that its most loaded rank
  /// needs.
  double saved = 0;
};

/// Where all cores of a package have one clock, a rank that could wait slower can't if one that all
/// others wait for is beside it. `slacks`: slacks_of(). `core_of`: by rank, a core of
/// hierarchy_of(pattern, nodes). `settable`: ascending, one or more. Nothing where no trade lowers
/// any clock.
std::optional<LoadGrouping> group_by_load(const std::vector<std::vector<GroupSlack>>& slacks,
                                          const predict::Pattern& pattern,
                                          const std::vector<std::uint32_t>& core_of,
                                          const std::vector<Hertz>& settable);

}  // namespace huddle::recommend
