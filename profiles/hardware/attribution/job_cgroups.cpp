#include "profiles/hardware/attribution/job_cgroups.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"
#include "profiles/files/kernel_text.hpp"
#include "profiles/processes/slurm_cgroups.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

// The controller of version 1 that counts CPU time, and the one that knows PUs.
constexpr const char* kCounting = "cpuacct";
constexpr const char* kConfining = "cpuset";
constexpr const char* kSecondVersion = "";

PuSet pus_in(const fs::path& file) {
  try {
    return PuSet::parse(files::first_line_of(file));
  } catch (const Error&) {
    return {};
  }
}

bool is_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Where users may make folders (parts of the hierarchy that are theirs, such as user@1000.service),
// these can have any name. So all folders down to a job's have to be root's, or, for trials, this
// user's.
bool is_trusted_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_uid == 0 || status.st_uid == ::geteuid());
}

// The first few thousand processes of a group are enough here.
std::vector<std::uint32_t> processes_in(const fs::path& group) {
  std::array<char, std::size_t{64} << 10U> text{};
  const long size =
      files::read_kernel_file((group / "cgroup.procs").c_str(), text.data(), text.size());
  std::string_view rest(text.data(), static_cast<std::size_t>(std::max<long>(size, 0)));
  std::vector<std::uint32_t> processes;
  while (!rest.empty())
    if (const auto pid = number_in<std::uint32_t>(take_until(rest, '\n')))
      processes.push_back(*pid);
  return processes;
}

std::optional<std::uint32_t> user_of_folder(std::string_view name) {
  constexpr std::string_view kUser = "uid_";
  if (!name.starts_with(kUser)) return std::nullopt;
  return number_in<std::uint32_t>(name.substr(kUser.size()));
}

StepId step_in(std::uint32_t job, const std::string& folder) {
  return {job, std::string(processes::step_of_folder(folder).value_or(""))};
}

}  // namespace

JobCgroups::JobCgroups(fs::path root, fs::path proc)
    : root_(std::move(root)), proc_(std::move(proc)), cgroups_(proc_) {}

std::optional<fs::path> JobCgroups::place_of(const char* controller) const {
  const auto place = cgroups_.top_of(controller);
  if (!place) return std::nullopt;
  return root_ / place->relative_path();
}

// In version 1 all hierarchies that Slurm uses have the same folders, and slurmstepd need not be in
// the one that counts.
fs::path JobCgroups::of_step(const StepId& step, std::uint32_t slurmstepd) {
  for (const auto& of : processes::cgroups_of(std::to_string(slurmstepd), proc_)) {
    const std::string group = processes::step_group(of.path, step.step);
    if (group.empty()) continue;
    const bool is_second = of.controllers.empty();
    const auto place = cgroups_.folder_of(is_second ? kSecondVersion : kCounting, group);
    if (!place || !is_folder(root_ / place->relative_path())) continue;
    Folder folder = root_ / place->relative_path();
    if (is_second) numbers_[folder.parent_path()] = step.job;
    return folder;
  }
  return {};
}

// Returns the first user other than root who has processes in a group or below it; root, if there
// are none but root's.
std::optional<std::uint32_t> JobCgroups::user_of_processes(const Folder& group) const {
  std::optional<std::uint32_t> user;
  for (const std::uint32_t pid : processes_in(group)) {
    struct stat status {};
    if (::stat((proc_ / std::to_string(pid)).c_str(), &status) == 0) user = status.st_uid;
    if (user.value_or(0) != 0) return user;
  }
  for (const std::string& name : files::names_in(group)) {
    const auto below =
        name.find('.') == std::string::npos ? user_of_processes(group / name) : std::nullopt;
    if (below) user = below;
    if (user.value_or(0) != 0) break;
  }
  return user;
}

// The user by the tasks of the steps: slurmstepd itself is root's, in a group beside theirs, and so
// is the process that keeps an "extern" step there.
std::optional<std::uint32_t> JobCgroups::user_of(const JobFolder& job) const {
  std::optional<std::uint32_t> user;
  for (const std::string& step : job.steps) {
    const auto of_step = user_of_processes(job.path / step / "user");
    if (of_step && (*of_step != 0 || processes::step_of_folder(step) != "extern")) user = of_step;
    if (user.value_or(0) != 0) break;
  }
  return user;
}

// The folders in `folder` that have steps.
std::vector<JobCgroups::JobFolder> JobCgroups::jobs_in(const Folder& folder) {
  std::vector<JobFolder> jobs;
  for (const std::string& name : files::names_in(folder)) {
    JobFolder job{folder / name, {}};
    if (!is_trusted_folder(job.path)) continue;
    for (std::string& step : files::names_in(job.path))
      if (processes::step_of_folder(step)) job.steps.push_back(std::move(step));
    if (!job.steps.empty()) jobs.push_back(std::move(job));
  }
  return jobs;
}

void JobCgroups::find_in_first_version(std::vector<FoundStep>& steps) const {
  const auto counting = place_of(kCounting);
  const auto confining = place_of(kConfining);
  if (!counting) return;
  for (const std::string& slurm : files::names_in(*counting)) {
    if (!is_trusted_folder(*counting / slurm)) continue;
    for (const std::string& of_user : files::names_in(*counting / slurm)) {
      const auto user = user_of_folder(of_user);
      if (!user || !is_trusted_folder(*counting / slurm / of_user)) continue;
      for (const JobFolder& job : jobs_in(*counting / slurm / of_user)) {
        const std::string name = job.path.filename();
        const auto number = processes::job_of_folder(name);
        if (!number) continue;
        const PuSet pus =
            confining ? pus_in(*confining / slurm / of_user / name / "cpuset.cpus") : PuSet();
        for (const std::string& step : job.steps)
          steps.push_back({step_in(*number, step), {*user, pus}, job.path / step});
      }
    }
  }
}

// The folder says it, or what was known before, or a slurmstepd.
std::optional<std::uint32_t> JobCgroups::number_of(const JobFolder& job) const {
  if (const auto number = processes::job_of_folder(job.path.filename().string())) return number;
  if (const auto known = numbers_.find(job.path); known != numbers_.end()) return known->second;
  for (const std::string& step : job.steps)
    for (const std::uint32_t pid : processes_in(job.path / step / "slurm"))
      if (const auto number =
              processes::job_of_slurmstepd(pid, *processes::step_of_folder(step), proc_))
        return number;
  return std::nullopt;
}

void JobCgroups::find_in_scope(const Folder& scope, std::vector<FoundStep>& steps) {
  for (const JobFolder& job : jobs_in(scope)) {
    const std::optional<std::uint32_t> user = user_of(job);
    const auto number = number_of(job);
    if (number) numbers_[job.path] = *number;
    if (!user) continue;
    if (!number) {
      unnumbered_.insert(job.path);
      continue;
    }
    const PuSet pus = pus_in(job.path / "cpuset.cpus.effective");
    for (const std::string& step : job.steps)
      steps.push_back({step_in(*number, step), {*user, pus}, job.path / step});
  }
}

// systemd's slices may lie in one another; the scopes of Slurm are in one of them.
void JobCgroups::find_in_scopes(const Folder& slice, int depth, std::vector<FoundStep>& steps) {
  for (const std::string& name : files::names_in(slice)) {
    const Folder below = slice / name;
    if (name.ends_with("slurmstepd.scope") && is_trusted_folder(below))
      find_in_scope(below, steps);
    else if (depth > 0 && name.ends_with(".slice") && is_trusted_folder(below))
      find_in_scopes(below, depth - 1, steps);
  }
}

std::vector<FoundStep> JobCgroups::find_steps() {
  constexpr int kMostSlices = 8;
  std::vector<FoundStep> steps;
  unnumbered_.clear();
  std::erase_if(numbers_, [](const auto& job) { return !is_folder(job.first); });
  find_in_first_version(steps);
  if (const auto second = place_of(kSecondVersion)) find_in_scopes(*second, kMostSlices, steps);
  std::sort(steps.begin(), steps.end(),
            [](const FoundStep& a, const FoundStep& b) { return a.id < b.id; });
  return steps;
}

}  // namespace huddle::power
