#include "aggregator/planning/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/planning/detail/plan_names.hpp"
#include "aggregator/planning/detail/plan_review.hpp"
#include "aggregator/planning/detail/sample_files.hpp"
#include "aggregator/planning/detail/sampling.hpp"
#include "aggregator/planning/detail/step_survey.hpp"
#include "aggregator/predict/computation/model_conversion.hpp"
#include "aggregator/predict/computation/moved_runs.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/model/model.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

// Runs of one program differ in memory by buffers of the MPI library and by its input.
constexpr double kMemoryMargin = 0.1;

bool any_frequency(const FrequencyRange& range) {
  return range.lowest <= Hertz{0} && !std::isfinite(range.highest.value);
}

// For the reason of a plan, where what a frequency costs is unknown; else empty.
std::string why_frequencies_are_kept(const PlanRequest& request, const Machine& machine) {
  if (!request.frequencies) return {};
  const bool needs_power = request.objective != Objective::kTime;
  std::string_view missing;
  if (!machine.frequencies)
    missing = "has no frequencies";
  else if (needs_power && !power_depends_on_frequency(machine))
    missing = "has no power by frequency";
  else
    return {};
  if (any_frequency(*request.frequencies))
    return fmt::format("; frequencies are kept: the machine document {}", missing);
  return fmt::format("; what the frequency costs is unknown: the machine document {}", missing);
}

// Nothing if no pattern is feasible.
std::optional<Plan> make_plan(const PlanRequest& request, const Samples& samples,
                              const Recommender& recommender) {
  const Profile& submitted = samples.profiles.front();
  const std::uint32_t measured_nodes = nodes_of(submitted);
  const std::uint32_t nodes = request.nodes.value_or(measured_nodes);
  const Reference reference = nodes == measured_nodes
                                  ? measured_reference(submitted, recommender.slots())
                                  : reference_over(nodes, submitted.ranks, recommender.slots());
  RecommendationOptions options;
  static_cast<ChoiceCriteria&>(options) = request;
  options.most_nodes = nodes;
  options.least_nodes = std::min(request.least_nodes, nodes);
  const std::string why_kept = why_frequencies_are_kept(request, recommender.machine());
  if (!why_kept.empty()) options.frequencies.reset();
  options.memory_margin = kMemoryMargin;
  options.only_until_chosen = !request.every_pattern;
  options.threads = std::max(1U, std::thread::hardware_concurrency());  // somebody waits for it
  const Recommendation recommendation = recommender.recommend(samples.profiles, reference, options);
  if (recommendation.chosen() == nullptr) return std::nullopt;
  Plan plan = recommender.plan(recommendation, submitted, options);
  plan.reason += why_kept;
  plan.made_from = samples.files;
  return plan;
}

// Without a model, more samples teach little; and consecutive ranks need nodes that are alike.
bool may_ask_for_second(const PlanRequest& request) {
  return request.profiles.empty() && !request.model.empty() && request.samples > 1 &&
         request.grouping == Grouping::kMapped;
}

Decision measure(const PlanRequest& request, const std::string& passed_over) {
  Decision decision;
  decision.action = Decision::Action::kMeasure;
  decision.reason =
      passed_over.empty()
          ? fmt::format("this run is measured{}: there is no profile of \"{}\" with {} ranks yet",
                        may_ask_for_second(request) ? ", 1 of at most 2" : "",
                        shortened(request.label), request.ranks)
          : fmt::format("this run is measured again: {}", passed_over);
  return decision;
}

// The layout of a second measured run, if one is worth it.
std::optional<Plan> second_sample(const PlanRequest& request, const Samples& samples,
                                  const Recommender& recommender) {
  if (!may_ask_for_second(request)) return std::nullopt;
  if (samples.profiles.size() > 1) return std::nullopt;
  const Profile& only = samples.profiles.front();
  // Where ranks did not all share alike, how much work each of them has can't be found later.
  const auto classes = classes_of(measured_locations(only, recommender.slots()));
  if (was_moved(only) || (classes && classes->size() > 1)) return std::nullopt;
  const std::uint32_t nodes = request.nodes.value_or(nodes_of(only));
  std::optional<Plan> plan =
      sampling_plan(only, recommender.machine(), recommender.slots(), nodes, recommender.rank());
  if (plan) plan->made_from = samples.files;
  return plan;
}

Decision measure_as(const Plan& plan, const fs::path& file) {
  return {Decision::Action::kMeasure,
          fmt::format("this run is {}: measured run 2 of 2", plan.reason),
          file.string(),
          plan.chosen.nodes,
          plan.chosen.ranks_per_node,
          plan.chosen.pattern};
}

Decision no_gain(const PlanRequest& request, std::uint32_t nodes) {
  Decision decision;
  decision.reason =
      fmt::format("no gain: no pattern within the bound of {:.1f} % uses fewer than {} {}",
                  request.slowdown * 100, nodes, nodes == 1 ? "node" : "nodes");
  return decision;
}

std::uint32_t kilohertz(Hertz frequency) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(frequency.value / 1e3, 1.0, 1e9)));
}

// The planned frequency exactly. The nominal one needs nothing set unless it was asked for: runs
// have it anyway. What was asked for counts where nothing could be planned.
std::optional<KilohertzRange> limits_for(const Plan& plan, const PlanRequest& request) {
  if (!request.frequencies) return std::nullopt;
  const bool any = any_frequency(*request.frequencies);
  if (!plan.frequency) {
    if (any) return std::nullopt;
    return KilohertzRange{kilohertz(request.frequencies->lowest),
                          kilohertz(request.frequencies->highest)};
  }
  const std::vector<Hertz> by_rank = plan.frequencies_by_rank();
  const Hertz lowest = *std::min_element(by_rank.begin(), by_rank.end());
  if (any && lowest == plan.frequency && plan.frequency == plan.reference.frequency)
    return std::nullopt;
  return KilohertzRange{kilohertz(lowest), kilohertz(*plan.frequency)};
}

Decision apply(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  Decision decision{Decision::Action::kApply,
                    fmt::format("packed onto {}", plan.reason),
                    file.string(),
                    plan.chosen.nodes,
                    plan.chosen.ranks_per_node,
                    plan.chosen.pattern};
  decision.frequency = limits_for(plan, request);
  decision.slowdown = plan.chosen.slowdown;
  if (const std::optional<double> change = energy_change(plan.chosen, plan.reference))
    decision.energy_saving = -*change;
  return decision;
}

// Fewer nodes gain nothing. Where the best pattern is the one that the job has anyway, its cores
// may still run slower.
Decision keep_layout(const Plan& plan, const PlanRequest& request) {
  Decision decision = no_gain(request, plan.reference.nodes);
  const bool as_submitted =
      plan.chosen.nodes == plan.reference.nodes && plan.chosen.pattern == plan.reference.pattern;
  // By rank would need the plan's own placement.
  if (!as_submitted || !plan.frequency || !plan.rank_frequencies.empty()) return decision;
  decision.frequency = limits_for(plan, request);
  if (!decision.frequency) return decision;
  decision.slowdown = plan.chosen.slowdown;
  decision.reason += fmt::format("; at {}, predicted {:+.1f} % time", text_of(*plan.frequency),
                                 plan.chosen.slowdown * 100);
  if (const std::optional<double> change = energy_change(plan.chosen, plan.reference)) {
    decision.energy_saving = -*change;
    decision.reason += fmt::format(", {:+.0f} % energy", *change * 100);
  }
  return decision;
}

JobAnswer answer_with(Plan plan, const fs::path& file, const PlanRequest& request) {
  if (plan.ranks != request.ranks)
    throw Error(fmt::format("the plan {} is for {} ranks and the job has {}: remove it",
                            file.string(), plan.ranks, request.ranks));
  if (plan.cores_per_rank != request.cores_per_rank)
    throw Error(fmt::format("the plan {} is for ranks of {} cores and the job's have {}: remove it",
                            file.string(), plan.cores_per_rank, request.cores_per_rank));
  JobAnswer answer;
  if (plan.packs()) {
    answer.decision = apply(plan, file, request);
  } else {
    answer.decision = keep_layout(plan, request);
  }
  answer.plan = std::move(plan);
  return answer;
}

// Beside the plan that there is or would be: that it is not to be followed, and why.
fs::path no_plan_path(const fs::path& plan) {
  return fs::path(plan).replace_extension(".none.json");
}

constexpr std::uint64_t kMostDecisionBytes = 1U << 20U;

// Kept, so that the next submission gets the same answer at once.
Decision leave(std::string reason, const fs::path& plan, const PlanRequest& request) {
  Decision decision;
  decision.reason = std::move(reason);
  if (!request.dry_run) {
    AtomicFile kept(no_plan_path(plan));
    kept.write(to_json(decision));
    kept.commit();
  }
  return decision;
}

std::string withdrawn(const std::string& why) {
  return fmt::format("its plan is withdrawn: {}; profile measures it again", why);
}

// Starting, and ending, take as long as that however long the job is.
constexpr Seconds kTimeAround{5};
// Runs of one job on the same nodes differ by about as much.
constexpr double kTimeNoise = 0.05;

// Why the packed job might be killed for its time; empty if it has enough.
std::string why_time_is_short(const Plan& plan, const PlanRequest& request, Seconds job_time) {
  if (!request.time_limit) return {};
  const double upper = plan.chosen.time_high ? *plan.chosen.time_high / plan.reference.time - 1
                                             : plan.chosen.slowdown;
  const Seconds most = job_time * (1 + std::max(upper, 0.0)) * (1 + kTimeNoise) + kTimeAround;
  if (most <= *request.time_limit) return {};
  return fmt::format("packed it might take {:.0f} s, and its time limit is {:.0f} s", most.value,
                     request.time_limit->value);
}

// What the records of the measured jobs say against running on fewer nodes; empty if nothing.
StepSurvey survey_samples(const Samples& samples, const PlanRequest& request) {
  StepSurvey all;
  if (!request.profiles.empty()) return all;
  for (const std::string& file : samples.files) {
    StepSurvey one = survey_steps(file);
    if (all.obstacle.empty()) all.obstacle = std::move(one.obstacle);
    if (!all.job_time) all.job_time = one.job_time;  // the first one is the job as submitted
  }
  return all;
}

}  // namespace

std::vector<fs::path> profiles_for(const Store& store, const PlanRequest& request) {
  return request.profiles.empty() ? store.profiles(key_of(request)) : request.profiles;
}

std::optional<JobAnswer> known_answer(const Store& store, const PlanRequest& request) {
  const std::vector<fs::path> files = profiles_for(store, request);
  if (files.empty()) {
    Decision decision = measure(request, {});
    if (std::string why = why_measuring_is_in_vain(store.folder(key_of(request)), request.ranks);
        !why.empty()) {
      decision = {};
      decision.reason = std::move(why);
    }
    return JobAnswer{std::move(decision), std::nullopt};
  }
  if (request.machine.empty())
    throw NoMachineDocument("there is a profile, but no machine document");
  const fs::path file = plan_path(store, request, files);
  if (const fs::path none = no_plan_path(file); fs::exists(none))
    return JobAnswer{parse_decision(read_file(none, kMostDecisionBytes), none.string()),
                     std::nullopt};
  if (!fs::exists(file)) return std::nullopt;
  Plan plan = load_plan(file);
  const ReviewedPlan reviewed{
      file, plan.made_from.empty() ? fs::path() : fs::path(plan.made_from.front()),
      request.steps_are_safe};
  if (const std::string why = why_plan_is_withdrawn(reviewed, ask_for_job_state, request.dry_run);
      !why.empty())
    return JobAnswer{leave(withdrawn(why), file, request), std::nullopt};
  if (!request.dry_run) keep_in_use(file);
  return answer_with(std::move(plan), file, request);
}

JobAnswer decide_job(const Store& store, const PlanRequest& request) {
  if (std::optional<JobAnswer> known = known_answer(store, request)) return std::move(*known);
  const std::vector<fs::path> files = profiles_for(store, request);
  const fs::path file = plan_path(store, request, files);
  Machine machine = load_machine(request.machine);
  const NodeTopology node = load_topology(machine.topology, request.machine.string());
  std::optional<ComputationModel> model;
  if (!request.model.empty()) model = model_from(load_model(request.model));
  const Recommender recommender(std::move(machine), node, request.cores_per_rank, std::move(model));
  Samples samples = request.profiles.empty() ? stored_samples(files, request, node)
                                             : given_samples(request, node);
  if (samples.profiles.empty()) return {measure(request, samples.passed_over), std::nullopt};
  if (request.profiles.empty()) put_submitted_first(samples, request);
  const StepSurvey survey = survey_samples(samples, request);
  if (!survey.obstacle.empty() && !request.steps_are_safe)
    return {leave(survey.obstacle, file, request), std::nullopt};
  const fs::path sample = sample_path(store, request, samples.files.front());
  if (!fs::exists(sample))
    if (const std::optional<Plan> second = second_sample(request, samples, recommender)) {
      // People who only ask see what is known so far, and change nothing.
      if (request.every_pattern)
        return {measure_as(*second, sample), make_plan(request, samples, recommender)};
      if (!request.dry_run) save_plan(*second, sample);
      return {measure_as(*second, sample), std::nullopt};
    }
  std::optional<Plan> plan = make_plan(request, samples, recommender);
  if (!request.profiles.empty() && !request.dry_run)
    store.make_folder(key_of(request), request.make_store);
  const Profile& submitted = samples.profiles.front();
  if (!plan) {
    const Decision none = no_gain(request, request.nodes.value_or(nodes_of(submitted)));
    return {leave(none.reason, file, request), std::nullopt};
  }
  const Seconds job_time = survey.job_time.value_or(submitted.run_time());
  if (std::string why = why_time_is_short(*plan, request, job_time); plan->packs() && !why.empty())
    return {leave(std::move(why), file, request), std::move(plan)};
  if (!request.dry_run) save_plan(*plan, file);
  return answer_with(std::move(*plan), file, request);
}

}  // namespace huddle
