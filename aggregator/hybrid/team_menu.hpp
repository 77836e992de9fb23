#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {

/// Sizes that a team may get.
enum class TeamSizes : std::uint8_t {
  /// The team keeps its size and is packed: safe for programs that don't expect another size.
  kKept,
  /// Sizes below, too, one thread a core: only where the user consents.
  kMayShrink,
};

/// The configurations that a region of `threads` threads could have on a rank's cores, at these
/// clocks, ascending: on as many cores as divide `threads`, so that each has as many threads, and
/// on as many packages as divide the cores, or as few as hold them. With kMayShrink also teams of
/// fewer threads, down to 1, with a core for each. One thread means serial code, which has but one
/// core.
std::vector<TeamConfiguration> team_configurations(std::uint32_t threads, const TeamRank& rank,
                                                   const TeamNode& node,
                                                   std::span<const Hertz> clocks,
                                                   TeamSizes sizes = TeamSizes::kKept);

}  // namespace huddle::hybrid
