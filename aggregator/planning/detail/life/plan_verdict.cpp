#include "aggregator/planning/detail/life/plan_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle::planning {
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

struct ObstacleWords {
  Obstacle::Kind kind;
  std::string_view text;
};

using ObstacleKind = Obstacle::Kind;
constexpr std::array kObstacles = std::to_array<ObstacleWords>({
    {ObstacleKind::kAlsoRuns, "it also runs {name} ({tasks} tasks)"},
    {ObstacleKind::kAlsoRunsUnordered,
     "it also runs {name} ({tasks} tasks), and its ranks were not on nodes in order"},
    {ObstacleKind::kInOrder, "ranks stay in order, since it also runs {name} ({tasks} tasks)"},
    {ObstacleKind::kStartedByMpirun, "mpirun starts its ranks, and places them itself"},
    {ObstacleKind::kStepPlaced, "in the measured run its step of {name} was placed by {by}"},
    {ObstacleKind::kRanksUnknown,
     "in the measured run the number of ranks of {name} was not known"},
    {ObstacleKind::kStepSpread,
     "its step of {tasks} tasks shared nodes with ranks that would be on several"},
    {ObstacleKind::kStepCrowded,
     "its step of {tasks} tasks would find no room beside the ranks that it shared nodes with"},
    {ObstacleKind::kUnmeasuredSteps,
     "its steps of {name} took {seconds:.0f} s and were not measured: what they would take on "
     "fewer nodes is unknown"},
    {ObstacleKind::kOtherNodes,
     "the measured run's ranks were on {count} nodes; profile measures it again"},
    {ObstacleKind::kProgramsApart, "its programs ran on different numbers of nodes"},
    {ObstacleKind::kManyPrograms, "its last measured run ran more than {count} programs"},
    {ObstacleKind::kNoProfileLeft,
     "{count} measured runs had no step of {tasks} ranks that left a profile{name}; profile "
     "measures it again"},
    {ObstacleKind::kNothingToLearn,
     "{count} measured runs showed nothing to plan from: {name}; profile measures it again"},
    {ObstacleKind::kOtherScripts,
     "the last measured runs were of other scripts of this name, none of which was submitted "
     "again: this one is measured if it is; label=NAME says that they are all alike"},
    {ObstacleKind::kContention, "nothing shows how ranks that share a die slow each other; {name}"},
    {ObstacleKind::kNameProfile, "name the profile of a denser run as well"},
    {ObstacleKind::kAllowSamples, "with samples=2 a second measured run would"},
    {ObstacleKind::kSubmitBatch, "a run of the same name by sbatch would"},
    {ObstacleKind::kNoSecondRun, "a second run on its nodes could not show it"},
    {ObstacleKind::kSecondLeftNothing, "its second measured run has left no profile"},
    {ObstacleKind::kSecondTimeShort,
     "a second measured run, on fuller nodes, might take {seconds:.0f} s, and the time limit is "
     "{limit:.0f} s"},
    {ObstacleKind::kSecondOfArray,
     "a run of one member on its own would, in place of {count} (sbatch --array=N)"},
    {ObstacleKind::kSecondSlow,
     "each second measured run would be {percent:.0f} % slower or more, and the site's limit is "
     "{limit:.4g} %"},
    {ObstacleKind::kInSecondRun, "in a second measured run {name}"},
    {ObstacleKind::kTimeShort,
     "packed it might take {seconds:.0f} s, and its time limit is {limit:.0f} s"},
    {ObstacleKind::kNearestMiss,
     "no fewer nodes: {count} would take {name}, your bound is {percent:.4g} %"},
    {ObstacleKind::kNoGain, "no fewer nodes: {count} would take {name}, and {by} is to be least"},
    {ObstacleKind::kFewestNodes, "no fewer nodes: its ranks need {count}"},
    {ObstacleKind::kLeastNodes, "no fewer nodes: at least {count} must be used"},
    {ObstacleKind::kOtherPrograms,
     "no fewer nodes: not all of its programs keep your bound of {percent:.4g} % there"},
    {ObstacleKind::kNoRoom, "no fewer nodes: {count} will not do ({name})"},
    {ObstacleKind::kNoGrouping,
     "no gain: no grouping of its ranks saves {percent:.0f} % of the bytes between {name}"},
    {ObstacleKind::kOneDie, "no gain: all cores of its node share one die"},
    {ObstacleKind::kRanksUnbound,
     "in the measured run its ranks did not have one die each, or dies did not have as many ranks"},
    {ObstacleKind::kTimeIsLeast, "time is to be least, and fewer cores save none"},
    {ObstacleKind::kClocksFollowLoads, "clocks follow the loads of its ranks"},
});

}  // namespace

std::string words_of(const Obstacle& obstacle) {
  const auto* const row = std::ranges::find(kObstacles, obstacle.kind, &ObstacleWords::kind);
  if (row == kObstacles.end()) return {};
  return fmt::format(fmt::runtime(row->text), fmt::arg("name", obstacle.name),
                     fmt::arg("by", obstacle.by), fmt::arg("count", obstacle.count),
                     fmt::arg("tasks", obstacle.tasks), fmt::arg("seconds", obstacle.seconds),
                     fmt::arg("limit", obstacle.limit), fmt::arg("percent", obstacle.percent));
}

std::string words_of(const FailedRun& run) {
  return fmt::format("{}, job {} {}", run.run_as, run.job, phrase_of(run));
}

std::string words_of(const PlanVerdict& verdict, const PlanRequest& request) {
  if (const auto* failed = std::get_if<FailedRun>(&verdict.reason))
    return fmt::format("its plan is withdrawn: {}; profile measures it again", words_of(*failed));
  if (const auto* runs = std::get_if<JudgedRuns>(&verdict.reason)) return words_of(*runs, request);
  if (const auto* obstacle = std::get_if<Obstacle>(&verdict.reason)) return words_of(*obstacle);
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

}  // namespace huddle::planning
