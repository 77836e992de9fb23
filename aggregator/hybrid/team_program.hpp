#pragma once

// The choices of strategies for the cores and clocks of OpenMP regions: a program of ranks with
// teams, as it ran, and what each of its regions would take in other configurations.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::hybrid {

/// A way in which the OpenMP team of one rank runs one of its parallel regions.
struct TeamConfiguration {
  /// Number of threads of the team; at least 1. A packed team keeps the size that the program gave
  /// it.
  std::uint32_t threads = 1;
  /// Number of cores that these run on: a divisor of `threads` where the team is packed, so that
  /// each core has as many.
  std::uint32_t cores = 1;
  /// Over how many packages those cores are spread, as evenly as they can be; at least 1.
  std::uint32_t packages = 1;
  /// Clock of these cores; 0: as the site left it.
  Hertz clock;

  friend auto operator<=>(const TeamConfiguration&, const TeamConfiguration&) = default;
};

/// Power of the busy parts of a node beyond that of an idle one, at one clock.
struct TeamPowerPoint {
  Hertz clock;
  Watts package;  ///< of each package with a busy core
  Watts die;      ///< of each die with a busy core
  Watts core;     ///< of each busy core
};

/// The nodes of a job, which are all alike.
struct TeamNode {
  std::uint32_t packages = 1;
  std::uint32_t dies_per_package = 1;
  std::uint32_t cores_per_die = 1;
  /// Power of a node that is on and runs nothing.
  Watts idle = {};
  /// Power of busy parts on top, by ascending clock; one at least. Between two clocks it is
  /// interpolated, beyond the outermost ones it is as there.
  std::vector<TeamPowerPoint> power = {};
  /// The clock of configurations that name none (0).
  Hertz nominal = {};
  /// True if the cores of a package have one clock: the highest that any of the ranks on it asks
  /// for. Times are as asked for, which is no less than what they become.
  bool clock_of_package = false;

  [[nodiscard]] std::uint32_t cores_per_package() const { return dies_per_package * cores_per_die; }
  [[nodiscard]] std::uint32_t package_of(std::uint32_t core) const {
    return core / cores_per_package();
  }
  /// `nominal`, or the highest clock whose power is known.
  [[nodiscard]] Hertz usual_clock() const {
    return nominal.value > 0 ? nominal : power.back().clock;
  }
};

/// Costs for a rank of a change of configuration from one region to the next.
struct TeamSwitchCost {
  /// Binding the team to other cores. The default is the most that a change of libgomp's pool
  /// took where it was measured (30 to 40 us).
  Seconds binding{40e-6};
  /// Until another clock is in force: the 99th percentile that was measured through the keeper.
  Seconds clock{134e-6};
};

/// One thing that a region could do.
struct TeamOption {
  TeamConfiguration configuration;
  /// Time of a pass, without costs of switching; above 0.
  Seconds seconds;
  /// Share of itself by which that may be too low: 0 where it was measured. Limits of time
  /// are kept with seconds x (1 + error).
  double error = 0;
  /// True where the time was measured; else it is predicted.
  bool measured = true;
  /// Number of passes by which it was measured, of all ranks that count; 0 for what ran, and where
  /// it is predicted.
  double tried = 0;
};

/// Where in a period of its rank's regions a region is, or a part of its passes.
struct RegionPosition {
  /// Stands for the regions since TeamRank::anchor, in their order. 0: at no position that is
  /// known, or the region is not taken apart.
  std::uint64_t context = 0;
  /// Number of the region within the period, from 1 on; 0 where `context` is.
  std::uint32_t position = 0;
  /// Number of regions in the period; 0: the region is not taken apart.
  std::uint32_t length = 0;
};

/// A parallel region of one rank within a phase group. Serial code whose time depends on the clock
/// can be one, too, with options of one thread.
struct TeamRegion {
  /// For people: its name in reasons and errors.
  std::string name;
  /// OpenMpRegion::id; 0: what a rank does in a group outside of regions, or all that it does
  /// there.
  std::uint64_t id = 0;
  /// A region that is taken apart by it is several of these, in the order of the period.
  RegionPosition where = {};
  /// Passes in the run, all of the group together; above 0.
  double passes = 1;
  /// Number of them that follow on another region or another pass of the group: at most `passes`,
  /// and 1 or more for each pass of the group. Costs of switching are paid this often. Where a
  /// profile doesn't say: `passes`.
  double entries = 1;
  /// Serial time before its passes, of the run, that no choice changes.
  Seconds serial;
  /// Time that a pass takes longer if none of its cores did the rank's last region: cold caches. If
  /// some did, the others' share of it.
  Seconds refill;
  /// At least one; no two with the same configuration.
  std::vector<TeamOption> options;
  /// Index of the option that ran.
  std::size_t reference = 0;
};

/// One phase group of a rank.
struct TeamGroupOfRank {
  /// In the order in which they run; may be empty. The region before the first is the last one of
  /// the group before, and before the first group comes the last: programs iterate.
  std::vector<TeamRegion> regions;
  /// Time to send data that others wait for (t_comm_send in equation 4), of the run.
  Seconds send;
  /// Measured wait in the MPI operation that ends the group, of the run. Negative: not measured.
  Seconds wait{-1};
};

/// A rank and its place.
struct TeamRank {
  Rank rank;
  NodeIndex node;
  /// Cores of its node that it may use, ascending; at least one. Core c is in die c / cores_per_die
  /// and so on. Ranks don't share cores. The first one used is that of its first thread.
  std::vector<std::uint32_t> cores;
  /// Groups of phases: as many as the program has.
  std::vector<TeamGroupOfRank> groups;
  /// From where on positions in its period count (RegionPositions::anchor); 0: nothing is known of
  /// any.
  std::uint64_t anchor = 0;
};

/// A phase group: what lies between two points at which all ranks meet. For a program whose
/// iterations differ with a period, each group at each position of the period is one.
struct TeamGroup {
  std::string name;      ///< for people
  double passes = 1;     ///< of the run; above 0
  std::uint64_t id = 0;  ///< PhaseGroup::id
};

/// A hybrid program, as it ran (its reference) and as it could run.
struct TeamProgram {
  TeamNode node;
  TeamSwitchCost switching;
  std::vector<TeamGroup> groups;  ///< in the order in which they run, again and again
  std::vector<TeamRank> ranks;
  /// For people: what of the run could not be taken into account.
  std::vector<std::string> notes = {};
};

/// The option of each region, by rank (as in TeamProgram::ranks), group and region.
using TeamChoice = std::vector<std::vector<std::vector<std::size_t>>>;

/// As it ran.
TeamChoice reference_choice(const TeamProgram& program);

/// Calls visit(rank, group, region, ...) for each region of a program, the three being indices and
/// the last one the region.
template <class Program, class Visit>
void for_each_region(Program& program, const Visit& visit) {
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank)
    for (std::size_t group = 0; group < program.ranks[rank].groups.size(); ++group) {
      auto& regions = program.ranks[rank].groups[group].regions;
      for (std::size_t i = 0; i < regions.size(); ++i) visit(rank, group, i, regions[i]);
    }
}

/// The cores of its node on which a rank runs this configuration, ascending: over as many packages
/// as it says, as evenly as these have cores for it, and in each die by die, the first ones first.
/// All ranks of a node begin with the same packages and dies, so that those at the end become empty
/// together. Fewer packages than it says where the rank has no more. Throws Error if the rank has
/// too few cores.
std::vector<std::uint32_t> cores_of_team(const TeamConfiguration& configuration,
                                         const TeamRank& rank, const TeamNode& node);

}  // namespace huddle::hybrid
