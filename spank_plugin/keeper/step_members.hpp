#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace huddle::keeper {

/// The processes of this node that are of a step: the descendants of its slurmstepd, and those in
/// the cgroup that Slurm made for the step, which is where the kernel says that slurmstepd is. So
/// it does not matter how Slurm names that, and a user who makes a cgroup with the name of another
/// step (below the own step's, where version 1 allows that) is no member of it. Needs no rights
/// where /proc shows all processes to all.
class StepMembers {
 public:
  /// `step` is Slurm's number of it. `proc` is for tests.
  StepMembers(std::uint32_t step, std::uint32_t slurmstepd, std::filesystem::path proc = "/proc");

  /// A few reads of /proc. False for slurmstepd itself, and where nothing can be read.
  [[nodiscard]] bool contains(pid_t process) const;

 private:
  [[nodiscard]] bool descends(std::uint32_t process) const;
  [[nodiscard]] bool is_in_cgroup(std::uint32_t process) const;

  std::string step_;
  std::uint32_t slurmstepd_;
  std::filesystem::path proc_;
};

}  // namespace huddle::keeper
