#include "spank_plugin/clocks/step_tasks.hpp"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"
#include "spank_plugin/frequency/process_identity.hpp"

namespace huddle {
namespace {

std::optional<std::uint32_t> pid_in(std::string_view text) {
  std::uint32_t pid = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return pid;
}

// The pids of a file task/TID/children; false if this kernel has none.
bool add_children(const std::filesystem::path& file, std::vector<std::uint32_t>& children) {
  std::array<char, std::size_t{64} << 10U> text{};
  const long size = read_kernel_file(file.c_str(), text.data(), text.size());
  if (size < 0) return false;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  while (!rest.empty()) {
    const auto space = rest.find(' ');
    if (const auto pid = pid_in(rest.substr(0, space))) children.push_back(*pid);
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  return true;
}

}  // namespace

StepTasks::StepTasks(std::uint32_t slurmstepd, std::filesystem::path proc)
    : slurmstepd_(slurmstepd), proc_(std::move(proc)), cgroups_(proc_) {}

StepTasks::TaskState StepTasks::state_of(std::uint32_t task) const {
  const auto status = status_of(task, proc_);
  if (!status || status->parent != slurmstepd_) return TaskState::kGone;
  switch (status->state) {
    case 'Z':
    case 'X':
      return TaskState::kGone;
    case 'T':
      return TaskState::kStopped;
    default:
      return cgroups_.is_frozen(task) ? TaskState::kStopped : TaskState::kRuns;
  }
}

// Each thread of slurmstepd has the children that it forked.
std::vector<std::uint32_t> StepTasks::children() const {
  std::vector<std::uint32_t> children;
  const std::filesystem::path threads = proc_ / std::to_string(slurmstepd_) / "task";
  bool known = false;
  for (const std::string& thread : names_in(threads))
    known = add_children(threads / thread / "children", children) || known;
  if (known) return children;
  for (const std::string& name : names_in(proc_)) {  // a kernel without CONFIG_PROC_CHILDREN
    const auto pid = pid_in(name);
    const auto status = pid ? status_of(*pid, proc_) : std::nullopt;
    if (status && status->parent == slurmstepd_) children.push_back(*pid);
  }
  return children;
}

StepActivity StepTasks::look() {
  if (witness_ && state_of(*witness_) == TaskState::kRuns) return StepActivity::kRunning;
  witness_.reset();
  bool stopped = false;
  for (const std::uint32_t task : children()) {
    const TaskState state = state_of(task);
    if (state == TaskState::kGone) continue;
    seen_ = true;
    if (state == TaskState::kRuns) {
      witness_ = task;
      return StepActivity::kRunning;
    }
    stopped = true;
  }
  if (stopped) return StepActivity::kStopped;
  return seen_ ? StepActivity::kEnded : StepActivity::kStarting;
}

}  // namespace huddle
