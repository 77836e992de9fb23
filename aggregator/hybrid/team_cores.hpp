#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle {

/// The cores of its node on which a rank runs this configuration, ascending: over as many packages
/// as it says, as evenly as these have cores for it, and in each die by die, the first ones first.
/// All ranks of a node begin with the same packages and dies, so that those at the end become empty
/// together. Fewer packages than it says where the rank has no more. Throws Error if the rank has
/// too few cores.
std::vector<std::uint32_t> cores_of_team(const TeamConfiguration& configuration,
                                         const TeamRank& rank, const TeamNode& node);

}  // namespace huddle
