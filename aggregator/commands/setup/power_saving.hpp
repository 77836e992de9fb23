#pragma once

// Slurm's power saving, by which nodes that no job uses go to sleep: what it is set to, and what a
// machine document says of it.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/operations/doctor/slurm_settings.hpp"
#include "profiles/formats/machine/unused_nodes.hpp"

namespace huddle::cli {

/// The settings of Slurm's that decide which nodes sleep, and when.
struct PowerSaving {
  /// SuspendTime of slurm.conf. Absent: never, or no program powers nodes down.
  std::optional<Seconds> sleeps_after;
  /// SuspendTime of the partitions that have one of their own; absent: never.
  std::map<std::string, std::optional<Seconds>, std::less<>> partitions;
  /// Those of SuspendExcParts, whose nodes stay on.
  std::set<std::string, std::less<>> kept_partitions;
  /// Those of SuspendExcNodes. Of a list with a number behind it ("n[0-9]:4") that many stay on:
  /// here the first ones.
  std::set<std::string, std::less<>> kept_nodes;
  /// Partitions of each node.
  std::map<std::string, std::vector<std::string>, std::less<>> partitions_of;
};

/// Puts together what Slurm says. `partitions` and `nodes`: as scontrol --oneliner show prints
/// them. `expand` makes names of nodes of a list such as "n[0-3]", one a line.
PowerSaving power_saving_of(const doctor::SlurmSettings& settings, std::string_view partitions,
                            std::string_view nodes,
                            const std::function<std::string(const std::string& list)>& expand);

/// The same for the machine document of `nodes`. Nodes that stay on are taken to be used by other
/// jobs. A partition's time comes before that of slurm.conf, the longest of several counts.
UnusedNodes unused_nodes_of(const PowerSaving& saving, const std::vector<std::string>& nodes);

}  // namespace huddle::cli
