#pragma once

// Steps of Slurm's jobs as their cgroups show them, for nodes on which nobody announces them.

#include <filesystem>
#include <vector>

#include "profiles/hardware/attribution/energy_ledger.hpp"

namespace huddle::power {

/// A step that has a cgroup on this node.
struct FoundStep {
  StepId id;
  StepPlace place;
  /// As of StepProcesses.
  std::filesystem::path cgroup;
};

/// The steps below `cgroups`: of version 1, slurm*/uid_U/job_J/step_S in the hierarchy with
/// cpuacct, and PUs by the one with cpuset; of version 2, job_J/step_S below system.slice/
/// *slurmstepd.scope. In order. A step whose user can't be known is left out. Throws std::bad_alloc
/// only.
std::vector<FoundStep> find_steps(const std::filesystem::path& cgroups = "/sys/fs/cgroup");

}  // namespace huddle::power
