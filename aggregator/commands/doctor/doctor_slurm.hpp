#pragma once

#include <string>
#include <vector>

#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/operations/doctor/plugin_check.hpp"
#include "aggregator/operations/doctor/slurm_settings.hpp"

namespace huddle {

/// What can be asked of Slurm from where the command runs.
struct SlurmHere {
  /// Whether Slurm's commands are installed.
  bool installed = false;
  /// Empty if slurmctld does not answer.
  doctor::SlurmSettings settings;
  /// What Slurm's command said instead.
  std::string complaint;
  /// Whether srun knows --energy-aggregate.
  bool has_option = false;

  [[nodiscard]] doctor::PluginPlaces plugin_places() const;
};

/// Asks scontrol and srun; changes nothing.
SlurmHere ask_slurm();

/// How the nodes of this allocation are asked.
struct NodesQuestion {
  std::vector<std::string> nodes;
  /// Arguments of `huddle doctor --node` there.
  std::vector<std::string> arguments;
  bool has_option = false;
  double patience_s = 60;
};

/// What the nodes answered.
struct NodesAnswer {
  std::vector<doctor::NodeReport> reports;
  /// All that srun and the nodes said.
  std::string said;
  double asked_s = 0;
  double answered_s = 0;
};

/// Runs this executable on each node of the allocation by one srun. Throws SystemError if srun
/// can't be started.
NodesAnswer ask_nodes(const NodesQuestion& question);

/// Becomes `salloc` with `command` inside an allocation of `nodes` nodes; comes back only by
/// SystemError.
[[noreturn]] void become_allocation(std::uint32_t nodes, const std::string& partition,
                                    bool has_option, double patience_s,
                                    const std::vector<std::string>& command);

}  // namespace huddle
