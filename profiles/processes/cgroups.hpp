#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::processes {

/// The cgroup of a process in one hierarchy, as the kernel says.
struct CgroupPlace {
  /// Controllers of version 1 with commas between them, or name=...; empty for version 2.
  std::string controllers;
  /// From the root of the hierarchy, or of this process's cgroup namespace: "/slurm/uid_0/job_17".
  std::string path;
};

/// The cgroups of a process, one for each hierarchy; none if there is no such process. `process` is
/// its number, or "self". Nobody but root can put a process into a cgroup that root made and gave
/// nobody, so what root's processes are in is to be believed.
std::vector<CgroupPlace> cgroups_of(const std::string& process,
                                    const std::filesystem::path& proc = "/proc");

/// The hierarchies of cgroups that this process sees, version 1 and 2.
class Cgroups {
 public:
  /// Reads self/mountinfo below `proc`. Where nothing can be read there are none.
  explicit Cgroups(std::filesystem::path proc = "/proc");

  /// The folder of the topmost cgroup that this process sees of the hierarchy of the first of
  /// `controllers`, or of version 2 where that is empty. Nothing if it sees none.
  [[nodiscard]] std::optional<std::filesystem::path> top_of(std::string_view controllers) const;

  /// The folder of any cgroup in that hierarchy, whether it is there or not. Nothing if this
  /// process does not see that part of the hierarchy.
  [[nodiscard]] std::optional<std::filesystem::path> folder_of(std::string_view controllers,
                                                               std::string_view path) const;

  /// True if the freezer keeps a process from running, in either version: Slurm's proctrack/cgroup
  /// suspends jobs so.
  [[nodiscard]] bool is_frozen(std::uint32_t pid) const;

  /// Moves this process from each cgroup that Slurm made for a job to the root of its hierarchy, so
  /// that it keeps none of them busy and is not ended, frozen or counted with the job. Where the
  /// root takes none, as in a container with version 2, it joins those slurmstepds that have no job
  /// yet or no more. Returns the groups that it could not leave.
  [[nodiscard]] std::vector<std::string> leave_those_of_jobs() const;

 private:
  struct Mount {
    /// The part of the hierarchy that is seen at `place`; "/" is all of it.
    std::string root;
    std::filesystem::path place;
    /// Empty for version 2.
    std::vector<std::string> controllers;
  };

  [[nodiscard]] const Mount* mount_of(std::string_view controllers) const;
  [[nodiscard]] bool leave(const CgroupPlace& of, const Mount& mount) const;

  std::filesystem::path proc_;
  std::vector<Mount> mounts_;
};

}  // namespace huddle::processes
