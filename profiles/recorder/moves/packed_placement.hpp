#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"

namespace huddle::recorder {

/// What the PUs that a rank may use keep it on.
enum class Hold : std::uint8_t { kCore, kDie, kNothing };

/// A node's ranks: where each of them is.
struct NodeRanks {
  /// By rank of the node: an index into the node's cores.
  std::vector<std::uint32_t> core_of;
  /// The weakest hold of one of them. If it is kNothing, they are where the kernel has put them for
  /// the moment, and count as spread over as many dies as they can be.
  Hold hold = Hold::kCore;
};

/// For each rank the core that it would get if the ranks of each package (of each NUMA node of it)
/// moved together onto as few of its dies as hold them, one to a core: there most ranks share
/// caches and memory. A rank that is on one of these dies already stays, if no other rank is on the
/// same core. Nothing if no package would use fewer dies than now; if two ranks are bound to one
/// core, or more to a die than it has cores; if ranks that nothing holds are spread unevenly over
/// the packages; or if dies differ in size. No rank leaves its NUMA node: its memory would stay
/// behind, and time would be lost that a run packed from its start does not lose.
std::optional<std::vector<std::uint32_t>> packed_placement(const std::vector<PhysicalCore>& cores,
                                                           const NodeRanks& ranks);

/// Places on which `ranks` ranks are spread widest, as ranks that nothing holds may be.
std::vector<std::uint32_t> widest_cores(const std::vector<PhysicalCore>& cores, std::size_t ranks);

}  // namespace huddle::recorder
