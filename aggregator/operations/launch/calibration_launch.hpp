#pragma once

#include <string>
#include <vector>

#include "commgraph/topology/node_topology.hpp"

namespace huddle {

/// What starts MPI programs.
enum class LauncherKind { kOpenMpi, kMpich, kSlurm };

/// What a launcher is, by its first word and, if that does not tell, by what it says of its
/// version.
LauncherKind kind_of_launcher(const std::vector<std::string>& launcher);

/// The nodes of the Slurm allocation that we run in, by scontrol; without one nothing. Throws Error
/// if scontrol does not tell.
std::vector<std::string> hosts_of_allocation();

/// One rank on every core of every host, placed by files as `huddle emit` writes them.
class CalibrationLaunch {
 public:
  /// `launcher`: its words. `hosts`: nodes like `node`; none stands for this machine. The files are
  /// there until it is destroyed. Throws SystemError.
  CalibrationLaunch(std::vector<std::string> launcher, std::vector<std::string> hosts,
                    const NodeTopology& node);
  ~CalibrationLaunch();
  CalibrationLaunch(const CalibrationLaunch&) = delete;
  CalibrationLaunch& operator=(const CalibrationLaunch&) = delete;

  /// What to run so that each rank runs `program`; sets environment variables that it needs.
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& program) const;

  [[nodiscard]] LauncherKind kind() const { return kind_; }
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  /// A PU of each core of a node, joined by commas.
  [[nodiscard]] const std::string& pus() const { return pus_; }

 private:
  std::vector<std::string> launcher_;
  LauncherKind kind_;
  std::size_t ranks_ = 0;
  std::string pus_;
  std::string folder_;
  std::string file_;
};

}  // namespace huddle
