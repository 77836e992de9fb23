#pragma once

// Cores and clocks for each OpenMP region of each rank. Li et al., "Hybrid MPI/OpenMP
// Power-Aware Computing", sections V and VI.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_prediction.hpp"
#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {

enum class TeamStrategy : std::uint8_t {
  /// "Profile-driven static mapping": the best option of each region by itself. Promises nothing:
  /// it sees neither what switching costs nor which rank is critical.
  kStatic,
  /// One configuration for all regions of a rank, the best for the rank by itself. It may make
  /// another rank critical.
  kOnePhase,
  /// For each rank and phase group one configuration, with which no rank arrives later than the
  /// critical one may; clocks by slack and knapsack; and a region leaves its group's configuration
  /// where that saves more than its switches cost. Whole packages and dies become empty where that
  /// saves energy, all ranks of a node seen together. The one to use.
  kImprovedOnePhase,
};

/// The measure by which options are compared.
enum class TeamObjective : std::uint8_t {
  kEnergy,  ///< joules by the node's power figures
  /// As published, (6): the sum over regions of time x clock, without regard to how many cores. Of
  /// equal ones, the one on fewer cores.
  kTimesClock,
};

struct TeamStrategyOptions {
  TeamStrategy strategy = TeamStrategy::kImprovedOnePhase;
  TeamObjective objective = TeamObjective::kEnergy;
  /// Share by which the program, and each of its groups, may take longer than the reference: 0.05
  /// is 5 %. (A group may also take as long as it does in the best static mapping.) Kept by
  /// kImprovedOnePhase only; whether others do is in TeamPlan::within_bound.
  double slowdown_bound = 0.05;
  /// Share by which the program may take longer than with the best static mapping, which is the one
  /// configuration for all regions of all ranks (or the reference) that is fastest. Where nothing
  /// saves energy, the program stays as it is, though a mapping that draws more may be faster.
  double above_static = 0.01;
  /// epsilon in (9): slack of ranks that aren't critical is divided by 1 + this.
  double slack_tolerance = 0.1;
  /// The least share of energy that a plan must save; else everything stays as it is.
  double least_gain = 0.01;
  /// In how many steps slack is divided for the knapsack; 1 to 1,000,000.
  std::size_t slack_steps = 1000;
};

/// A region of one rank in one group, with what was chosen for it.
struct TeamRow {
  std::uint32_t rank = 0;
  std::uint64_t group = 0;
  /// 0: what the rank does outside of regions, or all that it does in the group.
  std::uint64_t region = 0;
  /// Its place, as in the profile; of a group, from which delimiter to which it is.
  std::string name = {};
  /// Where in its rank's period it is.
  RegionPosition where = {};
  double passes = 0;
  /// The chosen option's index in the region's menu. A region that follows another one may have no
  /// such option: then the reference's.
  std::size_t option = 0;
  TeamConfiguration before;
  TeamConfiguration after;
  std::vector<std::uint32_t> cores = {};  ///< of the node, ascending
  /// Too short to have a configuration of its own: it does what the region before it does.
  bool follows = false;
  /// True where the time of what was chosen was measured; else it is predicted.
  bool measured = true;
  /// TeamOption::tried of that.
  double tried = 0;
  /// Time in the run: all its passes, without serial time and switching.
  Seconds time_before;
  Seconds time_after;
  /// Time of one pass. `most`: 95 % of such means are no longer.
  Seconds pass_before;
  Seconds pass_after;
  Seconds pass_most;
  /// Energy in the run: what its busy packages, dies and cores draw, as if the rank were alone on
  /// them.
  Joules energy_before;
  Joules energy_after;
  /// One sentence.
  std::string reason = {};
};

/// The choice of a strategy.
struct TeamPlan {
  /// For predict_team_program().
  TeamChoice choice;
  /// Rows by rank (as in TeamProgram::ranks), group and region.
  std::vector<std::vector<std::vector<TeamRow>>> rows;
  TeamPrediction before;
  TeamPrediction after;
  /// True if anything changes.
  bool changes = false;
  /// True if the slowdown bound holds, errors of options included.
  bool within_bound = true;
  /// One sentence: what is saved at what cost, or why everything stays as it is.
  std::string reason;
};

/// Chooses. Deterministic; safe in any thread. A search over all ranks' regions: 0.05 s of
/// processor time for 2 ranks, 1 s for 64, where each has 7 regions of up to 45 options.
TeamPlan choose_teams(const TeamProgram& program, const TeamStrategyOptions& options = {});

/// Outcome of a choice that somebody else made, carried out also in regions that are short.
TeamPlan plan_of_choice(const TeamProgram& program, TeamChoice choice, double slowdown_bound);

/// The one configuration for all regions of all ranks with which the program is predicted to be
/// fastest (errors included); the reference if none is faster. Regions whose menu hasn't got the
/// configuration keep their reference. The paper's "best static mapping".
TeamChoice best_static_mapping(const TeamProgram& program);

}  // namespace huddle::hybrid
