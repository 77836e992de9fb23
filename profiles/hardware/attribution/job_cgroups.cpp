#include "profiles/hardware/attribution/job_cgroups.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_text.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

// "job_17" is 17 behind "job_".
std::optional<std::uint32_t> number_behind(std::string_view name, std::string_view begin) {
  if (!name.starts_with(begin)) return std::nullopt;
  name.remove_prefix(begin.size());
  return number_in<std::uint32_t>(name);
}

PuSet pus_in(const fs::path& file) {
  try {
    return PuSet::parse(files::first_line_of(file));
  } catch (const Error&) {
    return {};
  }
}

// Returns the user of the first process of a group, or of one below it.
std::optional<std::uint32_t> user_of_processes(const fs::path& group) {
  const std::string pid = files::first_line_of(group / "cgroup.procs");
  struct stat status {};
  if (!pid.empty() && ::stat(("/proc/" + pid).c_str(), &status) == 0) return status.st_uid;
  for (const std::string& name : files::names_in(group))
    if (const auto user =
            name.find('.') == std::string::npos ? user_of_processes(group / name) : std::nullopt)
      return user;
  return std::nullopt;
}

void find_in_job(const fs::path& job_group, std::uint32_t job, const StepPlace& place,
                 std::vector<FoundStep>& steps) {
  constexpr std::string_view kStep = "step_";
  for (const std::string& name : files::names_in(job_group))
    if (name.starts_with(kStep))
      steps.push_back({{job, name.substr(kStep.size())}, place, job_group / name});
}

void find_in_first_version(const fs::path& cgroups, std::vector<FoundStep>& steps) {
  const fs::path counted = cgroups / "cpuacct";
  for (const std::string& slurm : files::names_in(counted)) {
    if (!slurm.starts_with("slurm")) continue;
    for (const std::string& of_user : files::names_in(counted / slurm)) {
      const auto user = number_behind(of_user, "uid_");
      if (!user) continue;
      const fs::path below = fs::path(slurm) / of_user;
      for (const std::string& of_job : files::names_in(counted / below)) {
        const auto job = number_behind(of_job, "job_");
        if (!job) continue;
        const PuSet pus = pus_in(cgroups / "cpuset" / below / of_job / "cpuset.cpus");
        find_in_job(counted / below / of_job, *job, {*user, pus}, steps);
      }
    }
  }
}

void find_in_second_version(const fs::path& cgroups, std::vector<FoundStep>& steps) {
  const fs::path slice = cgroups / "system.slice";
  for (const std::string& scope : files::names_in(slice)) {
    if (!scope.ends_with("slurmstepd.scope")) continue;
    for (const std::string& of_job : files::names_in(slice / scope)) {
      const auto job = number_behind(of_job, "job_");
      if (!job) continue;
      const fs::path group = slice / scope / of_job;
      for (const std::string& step : files::names_in(group)) {
        // slurmstepd itself is root's, in a group beside that of the tasks.
        const auto user = user_of_processes(group / step / "user");
        if (!user || !step.starts_with("step_")) continue;
        find_in_job(group, *job, {*user, pus_in(group / "cpuset.cpus.effective")}, steps);
        break;
      }
    }
  }
}

}  // namespace

std::vector<FoundStep> find_steps(const fs::path& cgroups) {
  std::vector<FoundStep> steps;
  find_in_first_version(cgroups, steps);
  find_in_second_version(cgroups, steps);
  std::sort(steps.begin(), steps.end(),
            [](const FoundStep& a, const FoundStep& b) { return a.id < b.id; });
  return steps;
}

}  // namespace huddle::power
