#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace huddle::recommend {

/// Consecutive ranks on the cores of as few nodes as hold them, `cores_per_node` on each, as evenly
/// as can be, as Slurm's block distribution has them: by rank, its core. `together`: how many ranks
/// each must stay on one node, the first ones first; empty: each may go by itself. Where all of a
/// job's programs have as many nodes, their ranks are on the same ones, whatever `cores_per_node`.
/// Nothing if more must stay together than a node has cores.
std::optional<std::vector<std::uint32_t>> cores_in_rank_order(
    std::uint32_t ranks, std::uint32_t cores_per_node, const std::vector<std::uint32_t>& together);

}  // namespace huddle::recommend
