#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace huddle::processes {

/// The hierarchies of cgroups that this process sees, version 1 and 2.
class Cgroups {
 public:
  /// Reads self/mountinfo below `proc`. Where nothing can be read there are none.
  explicit Cgroups(std::filesystem::path proc = "/proc");

  /// True if the freezer keeps a process from running, in either version: Slurm's proctrack/cgroup
  /// suspends jobs so.
  [[nodiscard]] bool is_frozen(std::uint32_t pid) const;

  /// Moves this process from each cgroup that Slurm made for a job to the root of its hierarchy, so
  /// that it keeps none of them busy and is not ended, frozen or counted with the job. Returns the
  /// groups that it could not leave.
  [[nodiscard]] std::vector<std::string> leave_those_of_jobs() const;

 private:
  struct Mount {
    std::filesystem::path place;
    /// Controllers of version 1, or name=..., as /proc/PID/cgroup has them; empty for version 2.
    std::vector<std::string> controllers;
  };
  struct Membership {
    const Mount* mount = nullptr;
    std::string path;
  };

  [[nodiscard]] std::vector<Membership> memberships_of(const std::string& pid) const;
  [[nodiscard]] const Mount* mount_of(const std::string& controllers) const;

  std::filesystem::path proc_;
  std::vector<Mount> mounts_;
};

}  // namespace huddle::processes
