#pragma once

// Steps of Slurm's jobs and the cgroups that Slurm made for them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/processes/cgroups.hpp"

namespace huddle::power {

/// A step that has a cgroup on this node.
struct FoundStep {
  StepId id;
  StepPlace place;
  /// As of StepProcesses.
  std::filesystem::path cgroup;
};

/// The cgroups of jobs, in both versions and wherever Slurm makes them (slurm_cgroups.hpp). For
/// steps that were announced they are those that their slurmstepds are in. Others, of nodes on
/// which nobody announces them, are looked for in folders that belong to root alone. Not thread
/// safe; all functions throw std::bad_alloc only.
class JobCgroups {
 public:
  /// The hierarchies of cgroups are those that this process sees, below `root`, which is for
  /// trials. `proc` is for tests.
  explicit JobCgroups(std::filesystem::path root = "/", std::filesystem::path proc = "/proc");

  /// The cgroup of an announced step that counts CPU time, as of StepProcesses; empty if there is
  /// none, or none yet.
  std::filesystem::path of_step(const StepId& step, std::uint32_t slurmstepd);

  /// The steps that have a cgroup with CPU time, announced or not, in order. Those whose user can't
  /// be known are left out, and those of unnumbered_jobs().
  std::vector<FoundStep> find_steps();

  /// The cgroups of jobs with steps whose number nobody tells, as find_steps() last saw them: they
  /// are named by SLUID, and none of their slurmstepds is left.
  [[nodiscard]] const std::set<std::filesystem::path>& unnumbered_jobs() const {
    return unnumbered_;
  }

 private:
  using Folder = std::filesystem::path;
  struct JobFolder {
    Folder path;
    /// Names of its folders of steps.
    std::vector<std::string> steps;
  };
  [[nodiscard]] std::optional<Folder> place_of(const char* controller) const;
  [[nodiscard]] static std::vector<JobFolder> jobs_in(const Folder& folder);
  [[nodiscard]] std::optional<std::uint32_t> user_of_processes(const Folder& group) const;
  [[nodiscard]] std::optional<std::uint32_t> user_of(const JobFolder& job) const;
  [[nodiscard]] std::optional<std::uint32_t> number_of(const JobFolder& job) const;
  void find_in_first_version(std::vector<FoundStep>& steps) const;
  void find_in_scopes(const Folder& slice, int depth, std::vector<FoundStep>& steps);
  void find_in_scope(const Folder& scope, std::vector<FoundStep>& steps);

  Folder root_;
  Folder proc_;
  processes::Cgroups cgroups_;
  /// The numbers of jobs of version 2 by their folders, as long as these are there: a slurmstepd
  /// that tells them may end before its tasks.
  std::map<Folder, std::uint32_t> numbers_;
  std::set<Folder> unnumbered_;
};

}  // namespace huddle::power
