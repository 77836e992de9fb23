#pragma once

// CPU time that the processes of a step have used on this node.

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::power {

/// Where the processes of a step can be found.
struct StepProcesses {
  /// The number of its slurmstepd; 0 if unknown.
  std::uint32_t slurmstepd = 0;
  /// A folder of the hierarchy of cgroup version 1 that has `cpuacct`, or of version 2; empty if
  /// there is none.
  std::filesystem::path cgroup;
  /// PUs that its job has on this node; empty if unknown.
  PuSet pus;
};

/// CPU time of a step on groups of PUs (those of a package each, say). Reads what the kernel keeps
/// for the step's cgroup, where there is one, and else looks at the descendants of its slurmstepd:
/// what a process used since the last look counts where it ran last. What version 2 of cgroups
/// counts is taken to be spread over the job's PUs. Of more than 4096 descendants those near
/// slurmstepd count. Never goes down. Not thread safe.
class StepCpuTime {
 public:
  /// A group without PUs counts all. `proc` is for tests.
  StepCpuTime(StepProcesses processes, std::vector<PuSet> groups,
              std::filesystem::path proc = "/proc");

  /// So far, for each group.
  const std::vector<Seconds>& look();

 private:
  struct Process {
    Seconds own;
    Seconds of_ended_children;
    std::uint32_t pu = 0;
  };
  using Processes = std::map<processes::ProcessIdentity, Process>;
  bool look_at_first_version();
  bool look_at_second_version();
  void look_at_processes();
  [[nodiscard]] Processes processes() const;
  [[nodiscard]] Processes processes_since(const Processes& before) const;
  void add(std::uint32_t pu, Seconds time);

  StepProcesses where_;
  std::vector<PuSet> groups_;
  std::filesystem::path proc_;
  std::vector<Seconds> used_;
  Processes last_;
  // The last counts of a cgroup: one for each PU, or one sum.
  std::vector<Seconds> last_counts_;
};

}  // namespace huddle::power
