#include "aggregator/planning/detail/narrow_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/planning/detail/job_order.hpp"
#include "aggregator/planning/detail/job_plans.hpp"
#include "aggregator/planning/detail/job_teams.hpp"
#include "aggregator/planning/detail/plan_answers.hpp"
#include "aggregator/planning/detail/plan_names.hpp"
#include "aggregator/planning/detail/plan_promises.hpp"
#include "aggregator/planning/detail/sample_files.hpp"
#include "aggregator/planning/detail/step_survey.hpp"
#include "aggregator/planning/detail/stored_answer.hpp"
#include "aggregator/planning/detail/team_sizes.hpp"
#include "aggregator/recommend/narrow_ranks.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

bool may_be_narrow(const StandingPlan& standing, const PlanRequest& request,
                   const JobAnswer& answer) {
  return request.packs_ranks && request.cores_per_rank > 1 && request.profiles.empty() &&
         !request.keeps_nodes && !request.clocks_follow_loads && !request.frequencies &&
         request.objective != Objective::kTime && !standing.withdrawn && answer.plan &&
         !answer.plan->keeps_nodes && answer.plan->companions.empty() &&
         answer.decision.action != Decision::Action::kMeasure && !answer.decision.compared;
}

void say_of_teams(const Plan& plan, Decision& decision) {
  decision.teams.clear();
  decision.teams_untried = false;
  decision.teams_programs = {};
  decision.teams_reason = fmt::format("each rank has {} of its {} cores",
                                      plan.packed_cores_per_rank, plan.cores_per_rank);
}

void follow(Plan plan, const fs::path& file, const PlanRequest& request, JobAnswer& answer) {
  const std::string packed_runs = packed_runs_of(plan, file, request);
  const Plan described = plan;
  answer = answer_with(std::move(plan), file, request);
  if (!packed_runs.empty()) answer.decision.reason += "; " + packed_runs;
  say_of_teams(described, answer.decision);
}

// The newest of its runs that left a profile of all ranks; nothing if there is none.
std::optional<Profile> run_of_plan(const Store& store, const Plan& plan,
                                   const PlanRequest& request) {
  for (const fs::path& file : profiles_of_broken(store, plan, request)) {
    try {
      Profile run = load_profile(file);
      if (run.complete && run.rank_records.size() == plan.ranks) return run;
    } catch (const Error&) {  // removed meanwhile, or damaged: another one will do
    }
  }
  return std::nullopt;
}

// The run that the plan was made from.
std::optional<Profile> wide_run(const Plan& plan) {
  if (plan.made_from.empty()) return std::nullopt;
  try {
    return load_profile(plan.made_from.front());
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_to_be_checked(const Store& store, const Plan& plan, const PlanRequest& request) {
  return !plan.teams_kept && !profiles_of_broken(store, plan, request).empty();
}

void go_without(const std::string& why, JobAnswer& answer) {
  answer.decision.reason += fmt::format("; not with ranks on fewer cores: {}", why);
}

// Once a run has followed it: teams of another size may break a program, and show at least that it
// counts its CPUs itself. What is found is kept with the plan, so that it is looked at once. Why
// the plan is not followed any more; empty if it is.
std::string check_teams(const Store& store, const fs::path& file, const PlanRequest& request) {
  std::optional<Plan> checked = stored_plan(file, request);
  if (!checked || stored_note(file) || !is_to_be_checked(store, *checked, request)) return {};
  Plan& plan = *checked;
  const std::optional<Profile> run = run_of_plan(store, plan, request);
  const std::optional<Profile> before = wide_run(plan);
  if (!run || !show_teams(*run, before)) return {};
  std::string why = why_teams_changed(*run, before, plan.cores_per_rank);
  if (!why.empty()) why = "its plan is withdrawn: " + why;
  if (request.dry_run) return why;
  plan.teams_kept = why.empty();
  if (plan.teams_kept) store_plan(plan, file);
  Decision none;
  none.reason = why;
  if (!plan.teams_kept) keep_decision(none, file);
  return why;
}

enum class Unchecked : std::uint8_t { kIsFollowed, kIsLeft };

// Because of what the stored plan's runs came to. False if it is left since its teams are to be
// checked first.
bool take_stored(const Store& store, const fs::path& file, const PlanRequest& request,
                 Unchecked unchecked, JobAnswer& answer) {
  StandingPlan own = standing_plan(store, file, request);
  if (own.withdrawn || !own.plan || !own.broken_patterns.empty()) {
    go_without(own.withdrawn ? own.withdrawn->reason
               : own.instead ? own.instead->reason
                             : std::string("its plan can't be used"),
               answer);
    return true;
  }
  if (unchecked == Unchecked::kIsLeft && is_to_be_checked(store, *own.plan, request)) return false;
  if (!request.dry_run) keep_plan_in_use(store, *own.plan, file);
  if (own.instead)
    answer.decision = *std::move(own.instead);
  else
    follow(*std::move(own.plan), file, request, answer);
  return true;
}

// What its ranks do to each other is unknown: at worst all of them want all of what they share.
// `others`: by how much other steps may take longer.
bool time_is_short(const Plan& plan, Seconds job_time, Seconds others, const PlanRequest& request) {
  constexpr double kNoise = 0.05;
  constexpr Seconds kStartAndEnd{5};
  if (!request.time_limit) return false;
  const double crowd = plan.trial ? static_cast<double>(plan.chosen.ranks_per_node) /
                                        std::max(plan.reference.ranks_per_node, 1U)
                                  : 1;
  const double slower = std::max(crowd, 1 + worst_slowdown({plan}));
  return (job_time * slower + others) * (1 + kNoise) + kStartAndEnd > *request.time_limit;
}

// What the records of the measured jobs show. Whoever places ranks counts on the cores that they
// ask for, whatever else may be done with them: throws Error that says so.
StepSurvey survey_of(const Samples& samples) {
  StepSurvey all;
  for (const std::string& file : samples.files) {
    StepSurvey one = survey_steps(file);
    if (!one.obstacle.empty()) throw Error(one.obstacle);
    if (const std::string both = steps_at_once(one); !both.empty())
      throw Error(
          fmt::format("in the measured run {}: on fewer CPUs one could wait for the other", both));
    all.steps.insert(all.steps.end(), one.steps.begin(), one.steps.end());
    if (!all.job_time) all.job_time = one.job_time;
    if (all.unknown_time < one.unknown_time) {
      all.unknown_time = one.unknown_time;
      all.unknown_program = std::move(one.unknown_program);
    }
  }
  return all;
}

// By how much steps that nobody measured may take longer, on as large a part of their CPUs as its
// ranks have of theirs.
Seconds longer_by(const StepSurvey& survey, const Plan& plan) {
  return survey.unknown_time *
         (static_cast<double>(plan.cores_per_rank) / plan.packed_cores_per_rank - 1);
}

// What of the job speaks against the plan: a step that may not go so, or its time. Empty if nothing
// does.
std::string why_job_forbids(const StepSurvey& survey, const Plan& plan, const Samples& samples,
                            const PlanRequest& request) {
  const Seconds job_time =
      std::max(samples.profiles.front().run_time(), survey.job_time.value_or(Seconds{}));
  const std::uint64_t cpus = std::uint64_t{plan.chosen.nodes} * plan.node_pus;
  for (const Outcome& step : survey.steps)
    if (const std::uint32_t tasks = step.run->tasks.value_or(step.ranks); tasks > cpus)
      return fmt::format("its step of {} has {} tasks, and {} nodes have {} CPUs",
                         shortened(step.run->program), tasks, plan.chosen.nodes, cpus);
  if (longer_by(survey, plan) > job_time * request.slowdown)
    return fmt::format(
        "its steps of {} took {:.3g} s, and may take {:.3g} times as long on fewer CPUs",
        shortened(survey.unknown_program), survey.unknown_time.value,
        static_cast<double>(plan.cores_per_rank) / plan.packed_cores_per_rank);
  if (time_is_short(plan, job_time, longer_by(survey, plan), request))
    return "with ranks on fewer cores it might exceed its time limit";
  return {};
}

constexpr const char* kNoGain = "ranks on fewer cores would save nothing within the bound";

// Why nothing is to be had that runs have shown. Where a trial is what is missing, the site's word
// is named that would allow one.
std::string why_nothing_serves(const Samples& samples, const StepSurvey& survey,
                               const std::vector<NarrowRanks>& ranks,
                               const Recommender& recommender, const NodeTopology& node,
                               PlanRequest request) {
  const JobOrder order = order_of_job(request, {samples}, survey);
  if (request.explore != Explore::kNo) return kNoGain;
  request.explore = Explore::kTrial;
  const PlanTerms terms = plan_terms(request, samples, recommender, order);
  const Recommendation wide =
      recommender.recommend(samples.profiles, terms.reference, terms.options);
  const std::optional<NarrowStudy> study =
      study_narrow_ranks(samples.profiles, ranks, recommender, node, wide, terms.options);
  if (!study) return kNoGain;
  const Plan& plan = study->plan;
  if (const std::string why = why_job_forbids(survey, plan, samples, request); !why.empty())
    return why;
  return fmt::format(
      "no run has shown what {} ranks on one node do to each other, on {} of their {} cores each: "
      "explore = \"trial\" in huddle.toml lets one try it",
      plan.chosen.ranks_per_node, plan.packed_cores_per_rank, plan.cores_per_rank);
}

// Throws Error that says why there is none.
Plan best_narrow_plan(const Profile& trial, const Store& store, const PlanRequest& request,
                      const Machine& machine) {
  const std::vector<NarrowRanks> ranks = narrow_ranks_of(trial, request.cores_per_rank);
  if (ranks.empty())
    throw Error(
        "the run that tried its teams on fewer cores measured too little of them, or teams of "
        "several sizes");
  const NodeTopology node = load_topology(machine.topology, request.machine.string());
  const Recommender recommender(machine, node, request.cores_per_rank);
  StoredSamples stored = stored_samples(profiles_for(store, request), request, node);
  if (stored.programs.size() != 1) throw Error("its measured runs ran several programs");
  Samples& samples = stored.programs.front();
  put_submitted_first(samples, request);
  const Profile& submitted = samples.profiles.front();
  const StepSurvey survey = survey_of(samples);
  const JobOrder order = order_of_job(request, stored.programs, survey);
  const PlanTerms terms = plan_terms(request, samples, recommender, order);
  const Recommendation wide =
      recommender.recommend(samples.profiles, terms.reference, terms.options);
  std::optional<NarrowStudy> study =
      study_narrow_ranks(samples.profiles, ranks, recommender, node, wide, terms.options);
  if (!study) throw Error(why_nothing_serves(samples, survey, ranks, recommender, node, request));
  if (const std::string why = why_job_forbids(survey, study->plan, samples, request); !why.empty())
    throw Error(why);
  set_order(study->plan, order, terms.reference);
  if (const std::string why = why_steps_are_parted(study->plan, order); !why.empty())
    throw Error(why);
  Plan plan = std::move(study->plan);
  if (plan.trial) plan.reason = std::string(kTrialPrefix) + plan.reason;
  plan.slowdown_bound = request.slowdown;
  plan.made_from = samples.files;
  plan.program = submitted.program();
  return plan;
}

}  // namespace

bool know_narrow_plan(const Store& store, const StandingPlan& standing, const PlanRequest& request,
                      JobAnswer& answer) {
  if (!may_be_narrow(standing, request, answer)) return true;
  const fs::path file = narrow_path(standing.file);
  if (stored_plan(file, request))
    return take_stored(store, file, request, Unchecked::kIsLeft, answer);
  return stored_note(file) || !may_have_trial(store, request);
}

void make_narrow_plan(const Store& store, const fs::path& plan_file, const PlanRequest& request,
                      JobAnswer& answer) {
  const fs::path file = narrow_path(plan_file);
  if (stored_plan(file, request)) {
    if (const std::string why = check_teams(store, file, request); !why.empty())
      return go_without(why, answer);
    static_cast<void>(take_stored(store, file, request, Unchecked::kIsFollowed, answer));
    return;
  }
  const Machine machine = load_machine(request.machine);
  const std::optional<Profile> trial = newest_trial(store, request, machine, answer);
  if (!trial) return;
  std::optional<Plan> plan;
  std::string why;
  try {
    plan = best_narrow_plan(*trial, store, request, machine);
  } catch (const SystemError&) {
    throw;
  } catch (const Error& error) {
    why = error.what();
  }
  if (!plan) {
    Decision none;
    none.reason = std::move(why);
    if (!request.dry_run) keep_decision(none, file);
    return;
  }
  if (!request.dry_run) store_plan(*plan, file);
  follow(*std::move(plan), file, request, answer);
}

}  // namespace huddle
