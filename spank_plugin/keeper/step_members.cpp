#include "spank_plugin/keeper/step_members.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/processes/cgroups.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/processes/slurm_cgroups.hpp"
#include "spank_plugin/detached/detached_process.hpp"

namespace huddle::keeper {

using processes::CgroupPlace;

StepMembers::StepMembers(std::uint32_t step, std::uint32_t slurmstepd, std::filesystem::path proc)
    : step_(detached::bare_step_name(step)), slurmstepd_(slurmstepd), proc_(std::move(proc)) {}

bool StepMembers::contains(pid_t process) const {
  if (process <= 1) return false;
  const auto pid = static_cast<std::uint32_t>(process);
  return pid != slurmstepd_ && (descends(pid) || is_in_cgroup(pid));
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

// slurmstepd is looked for each time: in some hierarchies it joins the step's cgroup only shortly
// before the tasks start.
bool StepMembers::is_in_cgroup(std::uint32_t process) const {
  const std::vector<CgroupPlace> places = processes::cgroups_of(std::to_string(process), proc_);
  const auto is_of_step = [&](const CgroupPlace& of_slurmstepd) {
    const std::string group = processes::step_group(of_slurmstepd.path, step_);
    return !group.empty() && std::any_of(places.begin(), places.end(), [&](const auto& place) {
      return place.controllers == of_slurmstepd.controllers &&
             processes::is_within(place.path, group);
    });
  };
  const auto of_slurmstepd = processes::cgroups_of(std::to_string(slurmstepd_), proc_);
  return std::any_of(of_slurmstepd.begin(), of_slurmstepd.end(), is_of_step);
}

}  // namespace huddle::keeper
