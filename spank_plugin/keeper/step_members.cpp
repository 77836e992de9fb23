#include "spank_plugin/keeper/step_members.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "profiles/files/kernel_file.hpp"
#include "profiles/processes/process_identity.hpp"
#include "spank_plugin/detached/detached_process.hpp"

namespace huddle::keeper {

StepMembers::StepMembers(std::uint32_t job, std::uint32_t step, std::uint32_t slurmstepd,
                         std::filesystem::path proc)
    : cgroup_("/job_" + std::to_string(job) + "/step_" + detached::bare_step_name(step)),
      slurmstepd_(slurmstepd),
      proc_(std::move(proc)) {}

bool StepMembers::contains(pid_t process) const {
  if (process <= 1) return false;
  const auto pid = static_cast<std::uint32_t>(process);
  return descends(pid) || is_in_cgroup(pid);
}

bool StepMembers::descends(std::uint32_t process) const {
  constexpr int kMostGenerations = 128;
  for (int i = 0; i < kMostGenerations && process > 1; ++i) {
    const auto status = processes::status_of(process, proc_);
    if (!status) return false;
    if (status->parent == slurmstepd_) return true;
    process = status->parent;
  }
  return false;
}

// Lines such as "4:memory:/slurm/uid_1000/job_17/step_0/task_0", in both versions.
bool StepMembers::is_in_cgroup(std::uint32_t process) const {
  std::array<char, 8192> text{};
  const auto file = proc_ / std::to_string(process) / "cgroup";
  const long size = files::read_kernel_file(file.c_str(), text.data(), text.size());
  const std::string_view all(text.data(), static_cast<std::size_t>(std::max<long>(size, 0)));
  for (auto at = all.find(cgroup_); at != std::string_view::npos; at = all.find(cgroup_, at + 1)) {
    const std::size_t end = at + cgroup_.size();
    if (end < all.size() && (all[end] == '/' || all[end] == '\n')) return true;
  }
  return false;
}

}  // namespace huddle::keeper
