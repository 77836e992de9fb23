#include "aggregator/planning/detail/answers/plan_making.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "aggregator/planning/detail/answers/fewer_nodes.hpp"
#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/detail/life/plan_promises.hpp"
#include "aggregator/planning/detail/plans/job_order.hpp"
#include "aggregator/planning/detail/plans/job_plans.hpp"
#include "aggregator/planning/detail/plans/kept_nodes.hpp"
#include "aggregator/planning/detail/samples/measuring.hpp"
#include "aggregator/planning/detail/samples/quick_sample.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "aggregator/planning/detail/samples/unknown_contention.hpp"
#include "aggregator/planning/detail/store/job_state.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/computation/training.hpp"
#include "aggregator/predict/model/model.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

/// The model that a request names, if jobs may be planned by it.
struct UsableModel {
  std::optional<predict::ComputationModel> model;
  /// For the reason of what is decided, where there is none though the request names one; else
  /// empty.
  std::string clause;
};

// Jobs are never planned by a model with unacceptable errors (model_quality.hpp): it is as if there
// were none.
UsableModel usable_model(const PlanRequest& request) {
  if (request.model.empty()) return {};
  UsableModel usable{predict::load_model(request.model).computation, {}};
  const predict::ModelQuality quality = predict::quality_of(*usable.model);
  if (quality.acceptable()) return usable;
  return {std::nullopt,
          fmt::format("; the model {} is not used: its errors on programs left out are {}, "
                      "expected {}",
                      request.model.string(), text_of(quality), predict::expected_quality())};
}

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

/// Layout of a second measured run, if one is worth it.
struct SecondLayout {
  std::optional<Plan> plan;
  /// Why there is none; may be none.
  Obstacle obstacle;
};

SecondLayout second_sample(const PlanRequest& request, const std::vector<Samples>& programs,
                           const recommend::Recommender& recommender, const JobOrder& order) {
  if (!may_ask_for_second(request)) return {};
  const Samples& samples = most_memory(programs);
  const Profile& submitted = samples.profiles.front();
  // Where ranks did not all share alike, how much work each of them has can't be found later;
  // unless they do so in the second run.
  const auto classes =
      predict::classes_of(predict::measured_locations(submitted, recommender.slots()));
  if (classes && classes->size() > 1 && !request.shares_nodes) return {};
  const std::uint32_t nodes = request.nodes.value_or(nodes_of(submitted));
  const bool needed = recommender.has_model()
                          ? any_sampled_once(programs)
                          : request.explore == Explore::kNo &&
                                nothing_covers_fewer_nodes(request, programs, recommender, nodes);
  if (!needed) return {};
  if (request.is_large_array())
    return {std::nullopt, {.kind = Obstacle::Kind::kSecondOfArray, .count = request.members}};
  const predict::Reference as_measured =
      predict::measured_reference(submitted, recommender.slots());
  std::vector<std::uint32_t> together;
  if (order.keeps_nodes_whole()) together = consecutive_ranks(as_measured);
  QuickSample quick =
      quick_sample(submitted, recommender, {.nodes = nodes, .shared = request.shares_nodes},
                   together, request.sample_slowdown);
  if (!quick.sample && !quick.slowdown) return {};
  if (!quick.sample)
    return {std::nullopt,
            {.kind = Obstacle::Kind::kSecondSlow,
             .limit = request.sample_slowdown * 100,
             .percent = quick.slowdown->likely * 100}};
  Plan& plan = quick.sample->plan;
  plan.reason += cost_phrase(quick.slowdown);
  plan.submitted_ranks = consecutive_ranks(as_measured);
  plan.made_from = samples.files;
  plan.node_shape = recommender.node_shape();
  return {std::move(plan), {}};
}

Decision measure_as(const Plan& plan, const fs::path& file) {
  Decision decision{Decision::Action::kMeasure,
                    fmt::format("this run is {}: measured run 2 of 2", plan.reason),
                    file.string(),
                    plan.chosen.nodes,
                    plan.chosen.ranks_per_node,
                    plan.chosen.pattern};
  decision.node_shape = plan.node_shape;
  decision.claim = store::claim_beside(file).string();
  return decision;
}

// Kept, so that the next submission gets the same answer at once.
Decision leave(Obstacle obstacle, const std::string& clause, const fs::path& plan,
               const PlanRequest& request) {
  Decision decision = left_by({PlanState::kSettled, std::move(obstacle)}, request);
  decision.reason += clause;
  if (!request.dry_run) store_note(decision, plan);
  return decision;
}

// Starting, and ending, take as long as that however long the job is.
constexpr Seconds kTimeAround{5};
// Runs of one job on the same nodes differ by about as much.
constexpr double kTimeNoise = 0.05;

// Tells if the packed job, which takes `factor` times as long at most, might be killed for its
// time.
Obstacle short_time(Obstacle::Kind kind, Seconds job_time, double factor,
                    const PlanRequest& request) {
  const Seconds most = job_time * factor * (1 + kTimeNoise) + kTimeAround;
  if (!request.time_limit || most <= *request.time_limit) return {};
  return {.kind = kind, .seconds = most.value, .limit = request.time_limit->value};
}

// The same of a second measured run. What its ranks do to each other is unknown: at worst, all of
// them want all of what they share.
Obstacle short_time(const Plan& sample, const PlanRequest& request, Seconds job_time) {
  const double crowd = static_cast<double>(sample.chosen.ranks_per_node) /
                       std::max(sample.reference.ranks_per_node, 1U);
  return short_time(Obstacle::Kind::kSecondTimeShort, job_time, std::max(crowd, 1.0), request);
}

// Evidence in the records of the measured jobs about running otherwise.
StepSurvey survey_samples(const Samples& samples, const PlanRequest& request) {
  StepSurvey all;
  if (!request.profiles.empty()) return all;
  for (const std::string& file : samples.files) {
    StepSurvey one = survey_steps(file);
    all.steps.insert(all.steps.end(), one.steps.begin(), one.steps.end());
    if (!all.obstacle) all.obstacle = std::move(one.obstacle);
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

// Looks for records that speak against fewer nodes.
Obstacle unsafe_nodes(const StepSurvey& survey, const PlanRequest& request) {
  if (survey.obstacle) return survey.obstacle;
  const Seconds job_time = survey.job_time.value_or(Seconds{});
  if (survey.unknown_time <= std::max(kShortSteps, job_time * request.slowdown)) return {};
  return {.kind = Obstacle::Kind::kUnmeasuredSteps,
          .name = shortened(survey.unknown_program),
          .seconds = survey.unknown_time.value};
}

Obstacle unsafe_plans(const std::vector<Plan>& plans, const JobOrder& order,
                      const PlanRequest& request, Seconds job_time) {
  Obstacle time =
      short_time(Obstacle::Kind::kTimeShort, job_time, 1 + worst_slowdown(plans), request);
  if (time || request.steps_are_safe) return time;
  return parted_steps(plans.front(), order);
}

std::optional<Plan> plan_so_far(const PlanRequest& request, const std::vector<Samples>& programs,
                                const recommend::Recommender& recommender, const JobOrder& order) {
  std::vector<Plan> plans = make_plans(request, programs, recommender, order).plans;
  if (plans.empty()) return std::nullopt;
  return std::move(plans.front());
}

/// Decision about a second measured run.
struct SecondRun {
  /// That the job is to be that run; nothing: it is not.
  std::optional<JobAnswer> answer;
  /// Why not, though one might help; may be none.
  Obstacle obstacle;
};

SecondRun second_run(const PlanRequest& request, const std::vector<Samples>& programs,
                     const recommend::Recommender& recommender, const JobOrder& order,
                     const fs::path& sample, const fs::path& late, Seconds job_time) {
  if (stored_plan(sample, request)) {
    // An answer about a run that goes on is not to be kept.
    if (is_held(store::claim_beside(sample), request)) return {JobAnswer{being_measured(), {}}, {}};
    return {std::nullopt, {.kind = Obstacle::Kind::kSecondLeftNothing}};
  }
  SecondLayout layout{stored_plan(late, request), {}};
  if (!layout.plan) layout = second_sample(request, programs, recommender, order);
  const std::optional<Plan>& plan = layout.plan;
  if (!plan) return {std::nullopt, std::move(layout.obstacle)};
  if (Obstacle time = short_time(*plan, request, job_time)) return {std::nullopt, std::move(time)};
  if (const Obstacle parted = parted_steps(*plan, order))
    return {std::nullopt, {.kind = Obstacle::Kind::kInSecondRun, .name = words_of(parted)}};
  JobAnswer answer{measure_as(*plan, sample), std::nullopt};
  // People who only ask see what is known so far, and change nothing.
  if (request.every_pattern) {
    answer.plan = plan_so_far(request, programs, recommender, order);
  } else if (!request.dry_run) {
    store_plan(*plan, sample);
    std::error_code ignored;
    fs::remove(late, ignored);
  }
  return {std::move(answer), {}};
}

// There is a profile of what was to be measured.
void forget_measuring(const store::Store& store, const PlanRequest& request) {
  std::error_code ignored;
  fs::remove(measuring_claim(store, request), ignored);
}

// Nothing if there is no such plan, and the job's cores may still run slower, or fewer nodes do.
std::optional<JobAnswer> answer_on_kept_nodes(const PlanRequest& request,
                                              const std::vector<Samples>& programs,
                                              const StepSurvey& survey,
                                              const recommend::Recommender& recommender,
                                              const fs::path& file) {
  GroupedPlans grouped = make_grouped_plans(request, programs, survey, recommender);
  if (!grouped.plans.empty()) {
    if (!request.dry_run) save_plans(grouped.plans, file);
    return answer_with(std::move(grouped.plans.front()), PlanState::kIdle, file, request);
  }
  if (!request.keeps_nodes || request.frequencies) return std::nullopt;
  return JobAnswer{leave(std::move(grouped.obstacle), {}, file, request), std::nullopt};
}

}  // namespace

Decision being_measured() {
  Decision decision;
  decision.reason = store::kRunIsBeingMeasured;
  return decision;
}

JobAnswer make_answer(const store::Store& store, const PlanRequest& request,
                      const std::vector<fs::path>& files, const CurrentPlan& current) {
  const fs::path& file = current.file;
  Machine machine = load_machine(request.machine);
  const commgraph::NodeTopology node =
      commgraph::load_topology(machine.topology, request.machine.string());
  UsableModel usable = usable_model(request);
  const recommend::Recommender recommender(std::move(machine), node, request.cores_per_rank,
                                           std::move(usable.model));
  StoredSamples stored = request.profiles.empty()
                             ? stored_samples(files, request, node)
                             : StoredSamples{{given_samples(request, node)}, {}};
  std::vector<Samples>& programs = stored.programs;
  if (programs.empty()) return {measure_or_leave(store, request, stored.passed_over), std::nullopt};
  if (request.profiles.empty() && !request.dry_run) forget_measuring(store, request);
  if (programs.size() > kMostPrograms)
    return {
        leave({.kind = Obstacle::Kind::kManyPrograms, .count = kMostPrograms}, {}, file, request),
        std::nullopt};
  if (request.profiles.empty())
    for (Samples& samples : programs) put_submitted_first(samples, request);
  const StepSurvey survey = survey_samples(programs.front(), request);
  add_samples(current.packed_profiles, request, node, programs);
  const Profile& submitted = programs.front().profiles.front();
  if (request.keeps_nodes || stays_on_one_node(request, submitted))
    if (auto answer = answer_on_kept_nodes(request, programs, survey, recommender, file))
      return std::move(*answer);
  if (!request.steps_are_safe)
    if (Obstacle unsafe = unsafe_nodes(survey, request))
      return {leave(std::move(unsafe), {}, file, request), std::nullopt};
  const JobOrder order = order_of_job(request, programs, survey);
  const Seconds job_time = survey.job_time.value_or(submitted.run_time());
  const fs::path sample = sample_path(store, request, programs.front().files.front());
  SecondRun second;
  if (current.packed_profiles.empty())
    second =
        second_run(request, programs, recommender, order, sample, late_sample_path(file), job_time);
  if (second.answer) return std::move(*second.answer);
  JobPlans made = make_plans(request, programs, recommender, order);
  std::vector<Plan>& plans = made.plans;
  if (!request.profiles.empty() && !request.dry_run)
    store.make_folder(key_of(request), request.make_store);
  const std::uint32_t nodes = request.nodes.value_or(nodes_of(submitted));
  const bool uncovered = request.explore == Explore::kNo &&
                         nothing_covers_fewer_nodes(request, programs, recommender, nodes);
  if (plans.empty())
    return {leave(uncovered ? unknown_contention(request, second.obstacle)
                            : no_fewer_nodes(request, predictions_of(*made.hopeless)),
                  usable.clause, file, request),
            std::nullopt};
  // At other frequencies there may be something to do for it all the same.
  if (!plans.front().packs() && held_back(plans.front()) && !plans.front().frequency)
    return {leave(unknown_contention(request, second.obstacle), usable.clause, file, request),
            std::move(plans.front())};
  plans.front().reason += usable.clause;
  if (plans.front().packs())
    if (Obstacle unsafe = unsafe_plans(plans, order, request, job_time))
      return {leave(std::move(unsafe), {}, file, request), std::move(plans.front())};
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

}  // namespace huddle::planning
