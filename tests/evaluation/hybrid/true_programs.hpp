#pragma once

// Programs of the simulated truth, on three types of node, and what strategies know of them.

#include <cstdint>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"
#include "aggregator/hybrid/team_strategy.hpp"
#include "tests/evaluation/hybrid/team_truth.hpp"

namespace huddle::hybrid {

/// As the paper's: 4 packages of 4 cores, five clocks, one for each package.
TrueNode four_packages();
/// 2 packages of 8 cores, a clock for each core.
TrueNode two_packages();
/// 1 package of 4 dies of 4 cores, each die with a cache, a clock for each core.
TrueNode four_dies();

/// Programs that behave as those of the paper's figures 11 and 12, two ranks on two nodes: AMG
/// (0.45 : 0.55, memory-bound, 14 positions of a period of two groups), IRS (four groups, uneven,
/// serial parts), BT (uneven, computes), SP (even, memory-bound), LU (even, computes).
TrueProgram amg_like(const TrueNode& node);
TrueProgram irs_like(const TrueNode& node);
TrueProgram bt_like(const TrueNode& node);
TrueProgram sp_like(const TrueNode& node);
TrueProgram lu_like(const TrueNode& node);

/// AMG's case where positions matter most, two ranks on two nodes, a group for each V-cycle of
/// seven levels: the finest computes, and the coarser ones, whose rows are fuller, are bound by
/// memory and smaller from level to level. The smoother and the transfer between levels are one
/// region each, at all levels.
TrueProgram v_cycles(const TrueNode& node);
/// The description where a region is known by its function only: each of its passes has the menu of
/// their mean, and so the same choice. Regions are alike if they have the same name.
TeamProgram without_positions(const TeamProgram& described);
/// The choice for all passes of a region as it was chosen for their mean: by names again.
TeamChoice at_all_positions(const TeamProgram& described, const TeamProgram& merged,
                            const TeamPlan& plan);

/// Programs drawn by chance, small enough for an exhaustive search: 2 to 4 ranks on 1 to 4 nodes,
/// also two on a node with cores of the same dies or packages.
TrueProgram random_program(std::uint64_t seed);

/// All configurations: packing only.
std::vector<TeamConfiguration> full_menu(const TrueProgram& program, const TrueRank& rank,
                                         std::uint32_t threads);

/// The knowledge of a strategy: menus of each region with times that are wrong by a factor of 1 +
/// error x (normal, at most 2 in size), but for the reference (all cores, the highest clock), which
/// was measured, as were the waits. Strategies know how far off the times may be.
struct Description {
  double error = 0;
  std::uint64_t seed = 0;
  /// At most so many sets of cores and so many clocks in a menu, drawn by `seed`, the reference's
  /// among them; 0: all.
  std::size_t cores = 0;
  std::size_t clocks = 0;
};
TeamProgram described_program(const TrueProgram& program, const Description& described);

/// The settings of a choice.
TrueSettings settings_of(const TeamProgram& described, const TeamChoice& choice);
/// The settings of a plan, with what regions do that keep their predecessor's configuration.
TrueSettings settings_of(const TeamPlan& plan);

}  // namespace huddle::hybrid
