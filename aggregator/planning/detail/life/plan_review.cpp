#include "aggregator/planning/detail/life/plan_review.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

/// A verdict on one run.
struct RunVerdict {
  enum class Kind { kHarmless, kOpen, kBroken } kind = Kind::kHarmless;
  FailedRun failed = {};
};

// States of a job that others ended: no plan has part in it.
constexpr std::array<std::string_view, 8> kEndedByOthers = {"CANCELLED", "PREEMPTED",   "NODE_FAIL",
                                                            "BOOT_FAIL", "DEADLINE",    "REVOKED",
                                                            "RESIZING",  "SPECIAL_EXIT"};

bool measured_too(const StepSurvey& measured, const Outcome& run) {
  return std::any_of(measured.steps.begin(), measured.steps.end(), [&](const Outcome& step) {
    return step.run->tasks == run.run->tasks && step.run->program == run.run->program;
  });
}

// True if the measured job had a step that failed as well: then it is the program's way.
bool measured_failed(const StepSurvey& measured) {
  return std::any_of(measured.steps.begin(), measured.steps.end(),
                     [](const Outcome& step) { return step.end && step.end->status != 0; });
}

RunVerdict broken(const Outcome& run, RunFailure how) {
  RunVerdict verdict{RunVerdict::Kind::kBroken, {run.run->job, how}};
  if (run.end) verdict.failed.status = run.end->status;
  verdict.failed.tasks = run.run->tasks.value_or(0);
  verdict.failed.program = run.run->program;
  return verdict;
}

// Judges a run whose end is not recorded.
RunVerdict judge_unended(const Outcome& run, const std::string& state) {
  if (state.empty() || is_going_on(state)) return {RunVerdict::Kind::kOpen};
  if (among(kEndedByOthers, state) || state == "COMPLETED") return {};
  if (state == "TIMEOUT") return broken(run, RunFailure::kTimeLimit);
  if (state == "OUT_OF_MEMORY") return broken(run, RunFailure::kMemory);
  return broken(run, state == "UNKNOWN" ? RunFailure::kUnknownEnd : RunFailure::kFailed);
}

RunVerdict judge_failed(const Outcome& run, const std::string& state) {
  if (among(kEndedByOthers, state)) return {};
  if (state == "TIMEOUT" || state == "OUT_OF_MEMORY") return judge_unended(run, state);
  return broken(run, RunFailure::kStepStatus);
}

// One task more is none of the ranks that a plan is about.
bool launches_others(const Outcome& run, const StepSurvey& measured) {
  return run.is_other_step() && run.run->tasks != 1U && !measured.steps.empty() &&
         !measured_too(measured, run);
}

RunVerdict judge(const Outcome& run, const StepSurvey& measured, bool any_steps,
                 const JobStates& state_of) {
  if (!any_steps && launches_others(run, measured)) return broken(run, RunFailure::kOtherTasks);
  if (run.end && run.end->status == 0) return {};
  if (measured_failed(measured)) return {};
  const std::string state = state_of(run.run->job);
  return run.end ? judge_failed(run, state) : judge_unended(run, state);
}

// The record that a mark names; nothing if there is none any more.
std::optional<Outcome> marked_record(const fs::path& mark) {
  constexpr std::uint64_t kMostBytes = 4096;
  try {
    const fs::path name = files::read_own_file(mark, kMostBytes);
    if (name.empty() || name.has_parent_path()) return std::nullopt;
    Outcome record = load_outcome(mark.parent_path() / name);
    if (record.run) return record;
  } catch (const Error&) {  // removed meanwhile, or cut short
  }
  return std::nullopt;
}

}  // namespace

std::optional<FailedRun> failed_run_of(const ReviewedPlan& reviewed, const JobStates& state_of,
                                       bool keep_marks) {
  const std::vector<fs::path> marks = store::unreviewed_runs(reviewed.plan);
  if (marks.empty()) return std::nullopt;
  const StepSurvey measured =
      reviewed.profile.empty() ? StepSurvey{} : survey_steps(reviewed.profile);
  constexpr std::size_t kMostQuestions = 2;  // somebody waits for the answer
  std::size_t questions = 0;
  const JobStates some_states = [&](std::uint64_t job) {
    return questions++ < kMostQuestions ? state_of(job) : std::string();
  };
  for (const fs::path& mark : marks) {
    const std::optional<Outcome> run = marked_record(mark);
    RunVerdict verdict =
        run ? judge(*run, measured, reviewed.any_steps, some_states) : RunVerdict{};
    if (verdict.kind == RunVerdict::Kind::kBroken) {
      verdict.failed.run_as = reviewed.run_as;
      return std::move(verdict.failed);
    }
    std::error_code ignored;
    if (verdict.kind != RunVerdict::Kind::kHarmless || keep_marks) continue;
    fs::remove(mark, ignored);
  }
  return std::nullopt;
}

}  // namespace huddle::planning
