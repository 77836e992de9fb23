#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// How many cores a rank kept busy, mean over the ranks: CPU time by run time. Nothing if the
/// profile does not know.
std::optional<double> busy_cores(const Profile& profile);

/// How many cores each rank of a complete profile had for certain: as many each, no core shared by
/// two of a node, more than one rank on some node (one that has a node to itself is often not bound
/// at all), and more than one of them kept busy. Else 1.
std::uint32_t cores_of_each_rank(const Profile& profile, const NodeTopology& node);

/// Why a run of a complete profile says nothing about ranks with `cores` cores each, as the end of
/// a sentence about it ("had ..."): a rank could run on fewer cores, or ranks kept more of them
/// busy. Empty if it may say something. Ranks whose cores this node lacks could run on any number.
std::string why_other_cores(const Profile& profile, const NodeTopology& node, std::uint32_t cores);

}  // namespace huddle
