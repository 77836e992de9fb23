#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/operations/launch/recorded_run.hpp"
#include "aggregator/predict/computation/training_runs.hpp"
#include "commgraph/topology/node_topology.hpp"

namespace huddle {

/// Starts MPI programs with their ranks on a pattern: by Open MPI's mpirun and a rankfile, or by
/// Slurm's srun, a host file and masks.
class Launcher {
 public:
  /// `command` is the launcher's words with blanks between, such as "mpirun --mca btl tcp,self"; if
  /// the first one is srun (or ends in /srun), it is Slurm's. `hosts` are the nodes, 1 or more.
  /// Throws UsageError if `command` is empty.
  Launcher(const std::string& command, std::vector<std::string> hosts);

  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }

  /// The words that start `program` on `placed`, and the variables that they need. Writes a file
  /// into `folder`. The values of `variables` reach ranks on other nodes, too.
  void place(RunRequest& request, const TrainingPattern& placed, const NodeTopology& node,
             const std::vector<std::string>& program, const Variables& variables,
             const std::filesystem::path& folder) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::string> hosts_;
  bool is_srun_ = false;
};

/// The nodes of the Slurm allocation that this process runs in; without one, this machine alone.
/// Throws Error if Slurm doesn't say.
std::vector<std::string> allocated_hosts();

}  // namespace huddle
