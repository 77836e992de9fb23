#include "aggregator/planning/detail/life/plan_promises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/timed_runs.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

/// A step in its order.
struct Step {
  bool packed = false;
  store::TimedRun run;
};

// A job that runs a program several times is one run, of their mean.
std::vector<ComparedRun> by_job(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.run.start < b.run.start; });
  std::vector<ComparedRun> runs;
  std::vector<std::uint64_t> jobs;
  std::vector<double> counts;
  for (const Step& step : steps) {
    const auto job = std::find(jobs.begin(), jobs.end(), step.run.job);
    const auto place = static_cast<std::size_t>(job - jobs.begin());
    if (job == jobs.end()) {
      jobs.push_back(step.run.job);
      runs.push_back({step.packed, step.run.elapsed});
      counts.push_back(1);
    } else if (runs[place].packed == step.packed) {
      Seconds& mean = runs[place].elapsed;
      mean.value += (step.run.elapsed.value - mean.value) / ++counts[place];
    }
  }
  return runs;
}

// Runs of another build say nothing of this one; as submitted they are better than none.
void keep_build(std::vector<store::TimedRun>& runs, const std::string& build_id, bool if_any) {
  if (build_id.empty()) return;
  const auto other = [&](const store::TimedRun& run) {
    return !run.build_id.empty() && run.build_id != build_id;
  };
  if (if_any && std::all_of(runs.begin(), runs.end(), other)) return;
  std::erase_if(runs, other);
}

// A job may run its program many times.
constexpr std::size_t kMostSteps = 4 * kMostComparedRuns;

std::vector<store::TimedRun> packed_runs(const Plan& plan, const fs::path& folder,
                                         const PlanRequest& request) {
  const std::string pattern =
      store::timed_pattern(plan.chosen.pattern, plan.frequency.value_or(Hertz{}));
  return store::timed_runs(folder,
                           {request.script, plan.program.path, pattern, plan.chosen.nodes,
                            compared_clocks(request), plan.program.build_id},
                           kMostSteps);
}

// The status with which most of these runs ended, the newest one's of as many; 0 without any.
int usual_status(const std::vector<store::TimedRun>& runs) {
  int usual = 0;
  std::ptrdiff_t most = 0;
  for (const store::TimedRun& run : runs) {
    const auto count = std::count_if(runs.begin(), runs.end(), [&](const store::TimedRun& other) {
      return other.status == run.status;
    });
    if (count < most) continue;
    most = count;
    usual = run.status;
  }
  return usual;
}

// The build that the next run will be of; empty: unknown. Where jobs copy the program to a folder
// of their own, what is where the measured job had it is an old one.
std::string present_build(const Plan& plan, const std::vector<store::TimedRun>& packed,
                          const std::vector<store::TimedRun>& submitted) {
  const store::TimedRun* newest = nullptr;
  for (const std::vector<store::TimedRun>* runs : {&packed, &submitted})
    if (!runs->empty() && (newest == nullptr || newest->start < runs->back().start))
      newest = &runs->back();
  if (newest == nullptr) return executables::build_id_of_file(plan.program.path);
  const std::string present =
      newest->program == plan.program.path ? executables::build_id_of_file(plan.program.path) : "";
  return present.empty() ? newest->build_id : present;
}

/// The runs that a plan is judged by, of its program and its present build, oldest first.
struct RunsOfPlan {
  std::vector<store::TimedRun> packed;
  std::vector<store::TimedRun> submitted;
  /// True if a job has followed the plan to an end that its program may have.
  bool followed = false;
};

// A program may end with another status than 0 whenever it ends well. What ended in another way
// than runs as submitted do took a time that says nothing.
void keep_usual_ends(RunsOfPlan& runs) {
  const int usual = usual_status(runs.submitted.empty() ? runs.packed : runs.submitted);
  const auto other = [&](const store::TimedRun& run) { return run.status != usual; };
  runs.followed =
      std::any_of(runs.packed.begin(), runs.packed.end(),
                  [&](const store::TimedRun& run) { return run.status == 0 || usual != 0; });
  std::erase_if(runs.packed, other);
  std::erase_if(runs.submitted, other);
}

RunsOfPlan runs_of(const Plan& plan, const fs::path& folder, const PlanRequest& request,
                   bool all_runs) {
  RunsOfPlan runs;
  if (plan.program.path.empty()) return runs;
  runs.packed = packed_runs(plan, folder, request);
  if (runs.packed.empty() && !all_runs) return runs;
  runs.submitted = store::timed_runs(folder,
                                     {request.script, plan.program.path, "", plan.reference.nodes,
                                      compared_clocks(request), plan.program.build_id},
                                     kMostSteps);
  const std::string build_id = present_build(plan, runs.packed, runs.submitted);
  keep_build(runs.packed, build_id, false);
  keep_build(runs.submitted, build_id, true);
  keep_usual_ends(runs);
  return runs;
}

}  // namespace

PlanHistory history_of(const Plan& plan, const fs::path& folder, const PlanRequest& request,
                       bool all_runs) {
  RunsOfPlan runs = runs_of(plan, folder, request, all_runs);
  PlanHistory history;
  history.followed = runs.followed || plan.program.path.empty();
  std::vector<Step> steps;
  for (store::TimedRun& run : runs.packed) steps.push_back({true, std::move(run)});
  for (store::TimedRun& run : runs.submitted) steps.push_back({false, std::move(run)});
  PromiseRules rules{request.slowdown, request.check_every, {}};
  if (plan.predicts_time()) rules.least = prediction_of(plan).least_slowdown();
  PromiseVerdict& promise = history.promise = judge_promise(by_job(std::move(steps)), rules);
  // Measured runs have clocks of their own.
  if (promise.packed_runs > 0 && promise.runs_as_submitted == 0 && request.check_every != 0 &&
      !compared_clocks(request).empty())
    promise.next = NextRun::kAsSubmitted;
  return history;
}

PlanVerdict verdict_on(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  PlanFacts facts;
  facts.made = true;
  facts.packs = plan.packs();
  facts.judged = request.withdraw && request.profiles.empty();
  const auto judge = [&](const Plan& each) {
    const PlanHistory history = history_of(each, file.parent_path(), request);
    facts.promise = history.promise.state;
    facts.next = history.promise.next;
    facts.followed = history.followed;
    facts.rebuilt = !history.followed && request.profiles.empty() && is_built_anew(each.program);
    return PlanVerdict{state_of(facts), JudgedRuns{each, history.promise}};
  };
  PlanVerdict verdict = judge(plan);
  if (runs_as_submitted(verdict.state) || !facts.judged || !facts.packs) return verdict;
  for (const Plan::Companion& companion : plan.companions)
    if (const auto other = stored_plan(file.parent_path() / companion.file, request))
      if (PlanVerdict on_other = judge(*other); runs_as_submitted(on_other.state)) return on_other;
  return verdict;
}

std::vector<fs::path> profiles_of_broken(const store::Store& store, const Plan& broken,
                                         const PlanRequest& request) {
  constexpr std::size_t kMost = 2;
  const store::StoreKey key{request.user, request.label, request.ranks};
  const std::vector<store::TimedRun> runs = packed_runs(broken, store.folder(key), request);
  std::vector<fs::path> found;
  for (fs::path& profile : store.packed_profiles(key)) {
    const std::string name = profile.filename().string();
    const bool own = std::any_of(runs.begin(), runs.end(), [&](const store::TimedRun& run) {
      return name.find(fmt::format("Z-{}-pid", run.step)) != std::string::npos;
    });
    if (own && found.size() < kMost) found.push_back(std::move(profile));
  }
  return found;
}

}  // namespace huddle::planning
