#include "spank_plugin/clocks/step_tasks.hpp"

#include <utility>

#include "profiles/processes/child_numbers.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::clocks {

StepTasks::StepTasks(std::uint32_t slurmstepd, std::filesystem::path proc)
    : slurmstepd_(slurmstepd), proc_(std::move(proc)), cgroups_(proc_) {}

StepTasks::TaskState StepTasks::state_of(std::uint32_t task) const {
  const auto status = processes::status_of(task, proc_);
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

StepActivity StepTasks::look() {
  if (witness_ && state_of(*witness_) == TaskState::kRuns) return StepActivity::kRunning;
  witness_.reset();
  bool stopped = false;
  for (const std::uint32_t task : processes::children_of(slurmstepd_, proc_)) {
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

}  // namespace huddle::clocks
