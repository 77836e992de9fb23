#include "aggregator/planning/detail/life/plan_verdict.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle {
namespace {

std::string counted_packed(std::size_t runs) {
  return fmt::format("{} packed {}", runs, runs == 1 ? "run" : "runs");
}

// Describes the packed runs that count, and those that do not.
std::string measured(const PromiseVerdict& promise) {
  std::string text;
  if (promise.packed_runs > 0)
    text = fmt::format("{} took {} % time ({} to {})", counted_packed(promise.packed_runs),
                       percent_text(promise.slowdown), percent_text(promise.low),
                       percent_text(promise.high));
  if (promise.unexplained_runs == 0) return text;
  return fmt::format(
      "{}{}{} took {} % time, which no packing explains: {} taken for another workload", text,
      text.empty() ? "" : "; ", counted_packed(promise.unexplained_runs),
      percent_text(promise.unexplained_change),
      promise.unexplained_runs == 1 ? "it is" : "they are");
}

std::string words_of(const JudgedRuns& runs, const PlanRequest& request) {
  const PromiseVerdict& promise = runs.promise;
  const std::string program = shortened(runs.plan.program.name());
  if (promise.state == PromiseState::kOtherWorkload)
    return fmt::format("this run is compared with its plan: {}", measured(promise));
  if (promise.runs_as_submitted == 0)
    return fmt::format(
        "this run is compared with its plan: {} packed {} no run as submitted to be compared with "
        "that had the clocks which the job asks for ({})",
        promise.packed_runs, promise.packed_runs == 1 ? "run has" : "runs have",
        compared_clocks(request));
  if (promise.state != PromiseState::kBroken)
    return fmt::format(
        "this run is compared with its plan: {}, which leaves open whether {} keeps the bound of "
        "{:.4g} %",
        measured(promise), program, request.slowdown * 100);
  return fmt::format(
      "its plan is withdrawn: {}, where {} % was predicted for {} and {:.4g} % is the bound; it "
      "is not packed so again unless runs as submitted show otherwise, or its program changes",
      measured(promise), percent_text(runs.plan.chosen.slowdown), program, request.slowdown * 100);
}

std::string phrase_of(const FailedRun& run) {
  switch (run.how) {
    case RunFailure::kTimeLimit:
      return "ran into its time limit";
    case RunFailure::kMemory:
      return "ran out of memory";
    case RunFailure::kUnknownEnd:
      return "did not end, and Slurm does not know why any more";
    case RunFailure::kFailed:
      return "failed";
    case RunFailure::kStepStatus:
      return fmt::format("had a step that failed with status {}", run.status);
    case RunFailure::kOtherTasks:
      return fmt::format("launched {} tasks of {}", run.tasks,
                         run.program.empty() ? "a step" : run.program);
  }
  return {};
}

}  // namespace

std::string words_of(const FailedRun& run) {
  return fmt::format("{}, job {} {}", run.run_as, run.job, phrase_of(run));
}

std::string words_of(const PlanVerdict& verdict, const PlanRequest& request) {
  if (const auto* failed = std::get_if<FailedRun>(&verdict.reason))
    return fmt::format("its plan is withdrawn: {}; profile measures it again", words_of(*failed));
  if (const auto* runs = std::get_if<JudgedRuns>(&verdict.reason)) return words_of(*runs, request);
  return {};
}

std::string packed_runs_of(const PlanVerdict& verdict, const PlanRequest& request) {
  const auto* runs = std::get_if<JudgedRuns>(&verdict.reason);
  if (runs == nullptr) return {};
  if (verdict.state == PlanState::kUnconfirmed)
    return fmt::format("unconfirmed, as {} was built anew since it was measured",
                       shortened(runs->plan.program.name()));
  if (!request.withdraw || !request.profiles.empty()) return {};
  const PromiseVerdict& promise = runs->promise;
  const bool has_run = promise.packed_runs + promise.unexplained_runs > 0;
  return !has_run || promise.runs_as_submitted == 0 ? "" : measured(promise);
}

}  // namespace huddle
