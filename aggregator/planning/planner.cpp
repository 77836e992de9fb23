#include "aggregator/planning/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/answers/job_teams.hpp"
#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/detail/life/plan_promises.hpp"
#include "aggregator/planning/detail/life/standing_plan.hpp"
#include "aggregator/planning/detail/plans/job_order.hpp"
#include "aggregator/planning/detail/plans/job_plans.hpp"
#include "aggregator/planning/detail/plans/kept_nodes.hpp"
#include "aggregator/planning/detail/samples/measuring.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/samples/sampling.hpp"
#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "aggregator/planning/detail/samples/unknown_contention.hpp"
#include "aggregator/planning/detail/samples/usable_model.hpp"
#include "aggregator/planning/detail/store/held_claims.hpp"
#include "aggregator/planning/detail/store/plan_names.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

bool any_sampled_once(const std::vector<Samples>& programs) {
  return std::any_of(programs.begin(), programs.end(),
                     [](const Samples& samples) { return samples.profiles.size() == 1; });
}

// The program that a second measured run is laid out for, so that all find room.
const Samples& most_memory(const std::vector<Samples>& programs) {
  const auto peak = [](const Samples& samples) {
    Bytes largest;
    for (const RankRecord& record : samples.profiles.front().rank_records)
      largest = std::max(largest, record.peak_resident);
    return largest;
  };
  return *std::max_element(programs.begin(), programs.end(),
                           [&](const Samples& a, const Samples& b) { return peak(a) < peak(b); });
}

// The layout of a second measured run, if one is worth it.
std::optional<Plan> second_sample(const PlanRequest& request, const std::vector<Samples>& programs,
                                  const Recommender& recommender, const JobOrder& order) {
  if (!may_ask_for_second(request)) return std::nullopt;
  const Samples& samples = most_memory(programs);
  const Profile& submitted = samples.profiles.front();
  // Where ranks did not all share alike, how much work each of them has can't be found later.
  const auto classes = classes_of(measured_locations(submitted, recommender.slots()));
  if (classes && classes->size() > 1) return std::nullopt;
  const std::uint32_t nodes = request.nodes.value_or(nodes_of(submitted));
  const bool needed = recommender.has_model()
                          ? any_sampled_once(programs)
                          : request.explore == Explore::kNo &&
                                nothing_covers_fewer_nodes(request, programs, recommender, nodes);
  if (!needed) return std::nullopt;
  const Reference as_measured = measured_reference(submitted, recommender.slots());
  std::vector<std::uint32_t> together;
  if (order.keeps_nodes_whole()) together = consecutive_ranks(as_measured);
  std::optional<Plan> plan = sampling_plan(submitted, recommender.machine(), recommender.slots(),
                                           nodes, recommender.rank(), together);
  if (!plan) return std::nullopt;
  plan->submitted_ranks = consecutive_ranks(as_measured);
  plan->made_from = samples.files;
  plan->node_shape = recommender.node_shape();
  return plan;
}

Decision measure_as(const Plan& plan, const fs::path& file) {
  Decision decision{Decision::Action::kMeasure,
                    fmt::format("this run is {}: measured run 2 of 2", plan.reason),
                    file.string(),
                    plan.chosen.nodes,
                    plan.chosen.ranks_per_node,
                    plan.chosen.pattern};
  decision.node_shape = plan.node_shape;
  decision.claim = claim_beside(file).string();
  return decision;
}

// Kept, so that the next submission gets the same answer at once.
Decision leave(std::string reason, const fs::path& plan, const PlanRequest& request) {
  Decision decision;
  decision.reason = std::move(reason);
  if (!request.dry_run) keep_decision(decision, plan);
  return decision;
}

// Starting, and ending, take as long as that however long the job is.
constexpr Seconds kTimeAround{5};
// Runs of one job on the same nodes differ by about as much.
constexpr double kTimeNoise = 0.05;

// Why the packed job might be killed for its time; empty if it has enough.
std::string why_time_is_short(const std::vector<Plan>& plans, const PlanRequest& request,
                              Seconds job_time) {
  if (!request.time_limit) return {};
  const Seconds most = job_time * (1 + worst_slowdown(plans)) * (1 + kTimeNoise) + kTimeAround;
  if (most <= *request.time_limit) return {};
  return fmt::format("packed it might take {:.0f} s, and its time limit is {:.0f} s", most.value,
                     request.time_limit->value);
}

// Why a second measured run might be killed for its time; empty if it has enough. What its ranks do
// to each other is unknown: at worst, all of them want all of what they share.
std::string why_time_is_short(const Plan& sample, const PlanRequest& request, Seconds job_time) {
  if (!request.time_limit) return {};
  const double crowd = static_cast<double>(sample.chosen.ranks_per_node) /
                       std::max(sample.reference.ranks_per_node, 1U);
  const Seconds most = job_time * std::max(crowd, 1.0) * (1 + kTimeNoise) + kTimeAround;
  if (most <= *request.time_limit) return {};
  return fmt::format(
      "a second measured run, on fuller nodes, might take {:.0f} s, and the time limit is {:.0f} s",
      most.value, request.time_limit->value);
}

// What the records of the measured jobs say about running otherwise.
StepSurvey survey_samples(const Samples& samples, const PlanRequest& request) {
  StepSurvey all;
  if (!request.profiles.empty()) return all;
  for (const std::string& file : samples.files) {
    StepSurvey one = survey_steps(file);
    all.steps.insert(all.steps.end(), one.steps.begin(), one.steps.end());
    if (all.obstacle.empty()) all.obstacle = std::move(one.obstacle);
    if (!all.job_time) all.job_time = one.job_time;  // the first one is the job as submitted
    if (all.unknown_time < one.unknown_time) {
      all.unknown_time = one.unknown_time;
      all.unknown_program = std::move(one.unknown_program);
    }
  }
  return all;
}

// Steps that are no longer than that change little in how long a job takes.
constexpr Seconds kShortSteps{5};

// Empty if nothing that was recorded says so.
std::string why_fewer_nodes_are_unsafe(const StepSurvey& survey, const PlanRequest& request) {
  if (!survey.obstacle.empty()) return survey.obstacle;
  const Seconds job_time = survey.job_time.value_or(Seconds{});
  if (survey.unknown_time <= std::max(kShortSteps, job_time * request.slowdown)) return {};
  return fmt::format(
      "its steps of {} took {:.0f} s and were not measured: what they would take on "
      "fewer nodes is unknown",
      shortened(survey.unknown_program), survey.unknown_time.value);
}

std::string why_plans_are_unsafe(const std::vector<Plan>& plans, const JobOrder& order,
                                 const PlanRequest& request, Seconds job_time) {
  std::string why = why_time_is_short(plans, request, job_time);
  if (!why.empty() || request.steps_are_safe) return why;
  return why_steps_are_parted(plans.front(), order);
}

std::optional<Plan> plan_so_far(const PlanRequest& request, const std::vector<Samples>& programs,
                                const Recommender& recommender, const JobOrder& order) {
  std::vector<Plan> plans = make_plans(request, programs, recommender, order);
  if (plans.empty()) return std::nullopt;
  return std::move(plans.front());
}

Decision being_measured() {
  Decision decision;
  decision.reason = kRunIsBeingMeasured;
  return decision;
}

/// What is decided about a second measured run.
struct SecondRun {
  /// That the job is to be that run; nothing: it is not.
  std::optional<JobAnswer> answer;
  /// Why not, though one might help; may be empty.
  std::string obstacle;
};

SecondRun second_run(const PlanRequest& request, const std::vector<Samples>& programs,
                     const Recommender& recommender, const JobOrder& order, const fs::path& sample,
                     Seconds job_time) {
  if (stored_plan(sample, request)) {
    // An answer about a run that goes on is not to be kept.
    if (is_held(claim_beside(sample), request)) return {JobAnswer{being_measured(), {}}, {}};
    return {std::nullopt, "its second measured run has left no profile"};
  }
  const std::optional<Plan> plan = second_sample(request, programs, recommender, order);
  if (!plan) return {};
  if (std::string why = why_time_is_short(*plan, request, job_time); !why.empty())
    return {std::nullopt, std::move(why)};
  if (std::string why = why_steps_are_parted(*plan, order); !why.empty())
    return {std::nullopt, "in a second measured run " + why};
  JobAnswer answer{measure_as(*plan, sample), std::nullopt};
  // People who only ask see what is known so far, and change nothing.
  if (request.every_pattern)
    answer.plan = plan_so_far(request, programs, recommender, order);
  else if (!request.dry_run)
    store_plan(*plan, sample);
  return {std::move(answer), {}};
}

// Nothing if there is no plan yet.
std::optional<JobAnswer> answer_of(const Store& store, StandingPlan standing,
                                   const PlanRequest& request) {
  if (standing.instead) return JobAnswer{std::move(*standing.instead), std::move(standing.plan)};
  if (!standing.plan) return std::nullopt;
  const fs::path& file = standing.file;
  Plan& plan = *standing.plan;
  if (!request.dry_run) keep_plan_in_use(store, plan, file);
  const std::string packed_runs = plan.packs() ? packed_runs_of(standing.verdict, request) : "";
  JobAnswer answer = answer_with(std::move(plan), standing.verdict.state, file, request);
  if (!packed_runs.empty()) answer.decision.reason += "; " + packed_runs;
  return better_than_withdrawn(std::move(answer), standing);
}

// There is a profile of what was to be measured.
void forget_measuring(const Store& store, const PlanRequest& request) {
  std::error_code ignored;
  fs::remove(measuring_claim(store, request), ignored);
}

// What is decided where nothing is stored yet, and stores it.
JobAnswer make_answer(const Store& store, const PlanRequest& request,
                      const std::vector<fs::path>& files, const StandingPlan& standing) {
  const fs::path& file = standing.file;
  Machine machine = load_machine(request.machine);
  const NodeTopology node = load_topology(machine.topology, request.machine.string());
  UsableModel usable = usable_model(request);
  const Recommender recommender(std::move(machine), node, request.cores_per_rank,
                                std::move(usable.model));
  StoredSamples stored = request.profiles.empty()
                             ? stored_samples(files, request, node)
                             : StoredSamples{{given_samples(request, node)}, {}};
  std::vector<Samples>& programs = stored.programs;
  if (programs.empty()) return {measure_or_leave(store, request, stored.passed_over), std::nullopt};
  if (request.profiles.empty() && !request.dry_run) forget_measuring(store, request);
  if (programs.size() > kMostPrograms)
    return {leave(fmt::format("its last measured run ran more than {} programs", kMostPrograms),
                  file, request),
            std::nullopt};
  if (request.profiles.empty())
    for (Samples& samples : programs) put_submitted_first(samples, request);
  const StepSurvey survey = survey_samples(programs.front(), request);
  add_samples(standing.packed_profiles, request, node, programs);
  if (request.keeps_nodes) {
    GroupedPlans grouped = make_grouped_plans(request, programs, survey, recommender);
    if (!grouped.plans.empty()) {
      if (!request.dry_run) save_plans(grouped.plans, file);
      return answer_with(std::move(grouped.plans.front()), PlanState::kIdle, file, request);
    }
    // Else its cores may still run slower.
    if (!request.frequencies)
      return {leave(std::move(grouped.why_none), file, request), std::nullopt};
  }
  if (!request.steps_are_safe)
    if (std::string why = why_fewer_nodes_are_unsafe(survey, request); !why.empty())
      return {leave(std::move(why), file, request), std::nullopt};
  const JobOrder order = order_of_job(request, programs, survey);
  const Profile& submitted = programs.front().profiles.front();
  const Seconds job_time = survey.job_time.value_or(submitted.run_time());
  const fs::path sample = sample_path(store, request, programs.front().files.front());
  SecondRun second;
  if (standing.packed_profiles.empty())
    second = second_run(request, programs, recommender, order, sample, job_time);
  if (second.answer) return std::move(*second.answer);
  std::vector<Plan> plans = make_plans(request, programs, recommender, order);
  if (!request.profiles.empty() && !request.dry_run)
    store.make_folder(key_of(request), request.make_store);
  const std::uint32_t nodes = request.nodes.value_or(nodes_of(submitted));
  const bool uncovered = request.explore == Explore::kNo &&
                         nothing_covers_fewer_nodes(request, programs, recommender, nodes);
  if (plans.empty()) {
    const std::string why =
        uncovered ? why_left_unpacked(request, second.obstacle) : no_gain(request, nodes).reason;
    return {leave(why + usable.why_none, file, request), std::nullopt};
  }
  // At other frequencies there may be something to do for it all the same.
  if (!plans.front().packs() && held_back(plans.front()) && !plans.front().frequency)
    return {leave(why_left_unpacked(request, second.obstacle) + usable.why_none, file, request),
            std::move(plans.front())};
  plans.front().reason += usable.why_none;
  if (plans.front().packs())
    if (std::string why = why_plans_are_unsafe(plans, order, request, job_time); !why.empty())
      return {leave(std::move(why), file, request), std::move(plans.front())};
  if (!request.dry_run) save_plans(plans, file);
  // Made anew, for another limit perhaps: its pattern may have been tried before.
  PlanState state = PlanState::kIdle;
  if (plans.front().packs())
    for (const Plan& plan : plans) {
      const PlanVerdict verdict = verdict_on(plan, file, request);
      if (runs_as_submitted(verdict.state))
        return {left_by(verdict, request), std::move(plans.front())};
      if (&plan == &plans.front()) state = verdict.state;
    }
  return answer_with(std::move(plans.front()), state, file, request);
}

}  // namespace

std::vector<fs::path> profiles_for(const Store& store, const PlanRequest& request) {
  return request.profiles.empty() ? store.profiles(key_of(request)) : request.profiles;
}

namespace {

enum class May : std::uint8_t { kLookOnly, kMake };

// As if no other job did it already. Nothing where something is to be made or chosen, and it may
// look only.
std::optional<JobAnswer> answer_if_free(const Store& store, const PlanRequest& request, May may) {
  const std::vector<fs::path> files = profiles_for(store, request);
  if (files.empty()) return JobAnswer{measure_or_leave(store, request, {}), std::nullopt};
  if (request.machine.empty())
    throw NoMachineDocument("there is a profile, but no machine document");
  const StandingPlan standing = standing_plan(store, plan_path(store, request, files), request);
  std::optional<JobAnswer> answer = answer_of(store, standing, request);
  if (!answer && may == May::kLookOnly) return std::nullopt;
  if (!answer && standing.withdrawn) {
    // A program that was slowed down once is to be slowed down no more: nothing is tried with it.
    PlanRequest careful = request;
    careful.explore = Explore::kNo;
    careful.risk = Risk::kInterval;
    return better_than_withdrawn(make_answer(store, careful, files, standing), standing);
  }
  if (!answer) answer = make_answer(store, request, files, standing);
  if (!know_teams_of(store, standing, request, *answer)) {
    if (may == May::kLookOnly) return std::nullopt;
    choose_teams_of(store, standing.file, request, *answer);
  }
  return answer;
}

// The answer, unless another job has the place that this one would need.
JobAnswer if_free(JobAnswer answer, const PlanRequest& request) {
  if (answer.decision.claim.empty() || !is_held(answer.decision.claim, request)) return answer;
  if (answer.decision.action == Decision::Action::kMeasure)
    return {being_measured(), std::move(answer.plan)};
  Decision left;
  left.reason = kFirstRunIsTaken;
  left.compared = true;  // its time is one to compare with
  return {std::move(left), std::move(answer.plan)};
}

}  // namespace

std::optional<JobAnswer> known_answer(const Store& store, const PlanRequest& request) {
  std::optional<JobAnswer> answer = answer_if_free(store, request, May::kLookOnly);
  if (answer) answer = if_free(std::move(*answer), request);
  return answer;
}

fs::path answer_file(const Store& store, const PlanRequest& request) {
  const std::vector<fs::path> files = profiles_for(store, request);
  if (files.empty() || request.machine.empty()) return {};
  const fs::path first = plan_path(store, request, files);
  std::error_code unknown;
  if (!fs::exists(first, unknown) && !fs::exists(no_plan_path(first), unknown)) return {};
  try {
    return standing_plan(store, first, request).file;
  } catch (const Error&) {  // it can't be read
    return first;
  }
}

JobAnswer decide_job(const Store& store, const PlanRequest& request) {
  return if_free(*answer_if_free(store, request, May::kMake), request);
}

}  // namespace huddle
