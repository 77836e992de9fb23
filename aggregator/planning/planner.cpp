#include "aggregator/planning/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/planning/plan_names.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "aggregator/planning/sample_files.hpp"
#include "aggregator/planning/sampling.hpp"
#include "aggregator/recommend/slack_frequencies.hpp"
#include "aggregator/predict/computation/model_conversion.hpp"
#include "aggregator/predict/computation/moved_runs.hpp"
#include "aggregator/predict/energy/power_at_frequency.hpp"
#include "aggregator/predict/pattern/sharing.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/model/model.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

struct Site {
  Machine machine;
  NodeTopology node;
  RankShape rank;
  /// The node as the ranks see it.
  NodeTopology slots;
  std::optional<ComputationModel> model;
};

Site site_of(const JobQuestion& question) {
  Machine machine = load_machine(question.machine);
  NodeTopology node = load_topology(machine.topology, question.machine.string());
  std::optional<ComputationModel> model;
  if (!question.model.empty()) model = model_from(load_model(question.model));
  const RankShape rank = shape_of_rank(question.cores_per_rank, node);
  NodeTopology slots = slots_of_node(node, rank);
  return {std::move(machine), std::move(node), rank, std::move(slots), std::move(model)};
}

bool any_frequency(const FrequencyRange& range) {
  return range.lowest <= Hertz{0} && !std::isfinite(range.highest.value);
}

// What the reason of a plan says where nobody can tell what a frequency costs; else empty.
std::string why_frequencies_are_kept(const JobQuestion& question, const Machine& machine) {
  if (!question.frequencies) return {};
  const bool needs_power = question.objective != Objective::kTime;
  std::string_view missing;
  if (!machine.frequencies)
    missing = "has no frequencies";
  else if (needs_power && !power_depends_on_frequency(machine))
    missing = "has no power by frequency";
  else
    return {};
  if (any_frequency(*question.frequencies))
    return fmt::format("; frequencies are kept: the machine document {}", missing);
  return fmt::format("; what the frequency costs is unknown: the machine document {}", missing);
}

// Nothing if no pattern is feasible.
std::optional<Plan> make_plan(const JobQuestion& question, const Samples& samples,
                              const Site& site) {
  const Machine& machine = site.machine;
  const NodeTopology& slots = site.slots;
  const Profile& submitted = samples.profiles.front();
  const std::uint32_t measured_nodes = nodes_of(submitted);
  const std::uint32_t nodes = question.nodes.value_or(measured_nodes);
  const Reference reference = nodes == measured_nodes
                                  ? measured_reference(submitted, slots)
                                  : reference_over(nodes, submitted.ranks, slots);
  RecommendationOptions options;
  if (site.model) options.model = &*site.model;
  options.rank = site.rank;
  options.risk = question.risk;
  options.slowdown = question.slowdown;
  options.grouping = question.grouping;
  options.objective = question.objective;
  options.most_nodes = nodes;
  options.least_nodes = std::min(question.least_nodes, nodes);
  const std::string why_kept = why_frequencies_are_kept(question, machine);
  if (why_kept.empty()) options.frequencies = question.frequencies;
  options.only_until_chosen = !question.every_pattern;
  options.threads = std::max(1U, std::thread::hardware_concurrency());  // somebody waits for it
  const Recommendation recommendation =
      recommend(samples.profiles, machine, slots, reference, options);
  if (recommendation.chosen() == nullptr) return std::nullopt;
  Plan plan = plan_of(recommendation, submitted, slots, question.grouping);
  set_slack_frequencies(plan, submitted, machine, slots, options);
  plan.reason += why_kept;
  plan.made_from = samples.files;
  return plan;
}

// Without a model, more samples tell little; and consecutive ranks need nodes that are alike.
bool may_ask_for_second(const JobQuestion& question) {
  return question.profiles.empty() && !question.model.empty() && question.samples > 1 &&
         question.grouping == Grouping::kMapped;
}

Decision measure(const JobQuestion& question, const std::string& passed_over) {
  Decision decision;
  decision.action = Decision::Action::kMeasure;
  decision.reason =
      passed_over.empty()
          ? fmt::format("this run is measured{}: there is no profile of \"{}\" with {} ranks yet",
                        may_ask_for_second(question) ? ", 1 of at most 2" : "",
                        shortened(question.key.label), question.key.ranks)
          : fmt::format("this run is measured again: {}", passed_over);
  return decision;
}

// The layout of a second measured run, if one is worth it.
std::optional<Plan> second_sample(const JobQuestion& question, const Samples& samples,
                                  const Site& site) {
  if (!may_ask_for_second(question)) return std::nullopt;
  if (samples.profiles.size() > 1) return std::nullopt;
  const Profile& only = samples.profiles.front();
  // Where ranks did not all share alike, nobody can tell later how much work each of them has.
  const auto classes = classes_of(measured_locations(only, site.slots));
  if (was_moved(only) || (classes && classes->size() > 1)) return std::nullopt;
  const std::uint32_t nodes = question.nodes.value_or(nodes_of(only));
  std::optional<Plan> plan = sampling_plan(only, site.machine, site.slots, nodes, site.rank);
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

Decision no_gain(const JobQuestion& question, std::uint32_t nodes) {
  Decision decision;
  decision.reason =
      fmt::format("no gain: no pattern within the bound of {:.1f} % uses fewer than {} {}",
                  question.slowdown * 100, nodes, nodes == 1 ? "node" : "nodes");
  return decision;
}

std::uint32_t kilohertz(Hertz frequency) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(frequency.value / 1e3, 1.0, 1e9)));
}

// The planned frequency exactly. The nominal one needs nothing set unless it was asked for: runs
// have it anyway. What was asked for counts where nothing could be planned.
std::optional<KilohertzRange> limits_for(const Plan& plan, const JobQuestion& question) {
  if (!question.frequencies) return std::nullopt;
  const bool any = any_frequency(*question.frequencies);
  if (!plan.frequency) {
    if (any) return std::nullopt;
    return KilohertzRange{kilohertz(question.frequencies->lowest),
                          kilohertz(question.frequencies->highest)};
  }
  const std::vector<Hertz> by_rank = plan.frequencies_by_rank();
  const Hertz lowest = *std::min_element(by_rank.begin(), by_rank.end());
  if (any && lowest == plan.frequency && plan.frequency == plan.reference.frequency)
    return std::nullopt;
  return KilohertzRange{kilohertz(lowest), kilohertz(*plan.frequency)};
}

Decision apply(const Plan& plan, const fs::path& file, const JobQuestion& question) {
  Decision decision{Decision::Action::kApply,
                    fmt::format("packed onto {}", plan.reason),
                    file.string(),
                    plan.chosen.nodes,
                    plan.chosen.ranks_per_node,
                    plan.chosen.pattern};
  decision.frequency = limits_for(plan, question);
  decision.slowdown = plan.chosen.slowdown;
  if (const std::optional<double> change = energy_change(plan.chosen, plan.reference))
    decision.energy_saving = -*change;
  return decision;
}

// Fewer nodes gain nothing. Where the best pattern is the one that the job has anyway, its cores
// may still run slower.
Decision keep_layout(const Plan& plan, const JobQuestion& question) {
  Decision decision = no_gain(question, plan.reference.nodes);
  const bool as_submitted =
      plan.chosen.nodes == plan.reference.nodes && plan.chosen.pattern == plan.reference.pattern;
  // By rank would need the plan's own placement.
  if (!as_submitted || !plan.frequency || !plan.rank_frequencies.empty()) return decision;
  decision.frequency = limits_for(plan, question);
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

JobAnswer answer_with(Plan plan, const fs::path& file, const JobQuestion& question) {
  if (plan.ranks != question.key.ranks)
    throw Error(fmt::format("the plan {} is for {} ranks and the job has {}: remove it",
                            file.string(), plan.ranks, question.key.ranks));
  if (plan.cores_per_rank != question.cores_per_rank)
    throw Error(fmt::format("the plan {} is for ranks of {} cores and the job's have {}: remove it",
                            file.string(), plan.cores_per_rank, question.cores_per_rank));
  JobAnswer answer;
  if (plan.packs()) {
    answer.decision = apply(plan, file, question);
  } else {
    answer.decision = keep_layout(plan, question);
  }
  answer.plan = std::move(plan);
  return answer;
}

// Beside the plan that there would be: nothing else says that none was found.
fs::path no_plan_path(const fs::path& plan) {
  return fs::path(plan).replace_extension(".none.json");
}

constexpr std::uint64_t kMostDecisionBytes = 1U << 20U;

}  // namespace

std::vector<fs::path> profiles_for(const Store& store, const JobQuestion& question) {
  return question.profiles.empty() ? store.profiles(question.key) : question.profiles;
}

std::optional<JobAnswer> known_answer(const Store& store, const JobQuestion& question) {
  const std::vector<fs::path> files = profiles_for(store, question);
  if (files.empty()) return JobAnswer{measure(question, {}), std::nullopt};
  if (question.machine.empty())
    throw Error(
        "there is a profile, but no machine document: give --machine, or set machine.file in "
        "huddle.toml, to what `huddle machine` prints on a node");
  const fs::path file = plan_path(store, question, files);
  if (const fs::path none = no_plan_path(file); fs::exists(none))
    return JobAnswer{parse_decision(read_file(none, kMostDecisionBytes), none.string()),
                     std::nullopt};
  if (!fs::exists(file)) return std::nullopt;
  if (!question.dry_run) keep_in_use(file);
  return answer_with(load_plan(file), file, question);
}

JobAnswer decide_job(const Store& store, const JobQuestion& question) {
  if (std::optional<JobAnswer> known = known_answer(store, question)) return std::move(*known);
  const std::vector<fs::path> files = profiles_for(store, question);
  const fs::path file = plan_path(store, question, files);
  const Site site = site_of(question);
  Samples samples = question.profiles.empty() ? stored_samples(files, question, site.node)
                                              : given_samples(question, site.node);
  if (samples.profiles.empty()) return {measure(question, samples.passed_over), std::nullopt};
  if (question.profiles.empty()) put_submitted_first(samples, question);
  const fs::path sample = sample_path(store, question, samples.files.front());
  if (!fs::exists(sample))
    if (const std::optional<Plan> second = second_sample(question, samples, site)) {
      // People who only ask see what is known so far, and change nothing.
      if (question.every_pattern)
        return {measure_as(*second, sample), make_plan(question, samples, site)};
      if (!question.dry_run) save_plan(*second, sample);
      return {measure_as(*second, sample), std::nullopt};
    }
  std::optional<Plan> plan = make_plan(question, samples, site);
  if (!question.profiles.empty() && !question.dry_run)
    store.make_folder(question.key, question.make_store);
  if (!plan) {
    Decision none = no_gain(question, question.nodes.value_or(nodes_of(samples.profiles.front())));
    if (!question.dry_run) {
      AtomicFile kept(no_plan_path(file));
      kept.write(to_json(none));
      kept.commit();
    }
    return {std::move(none), std::nullopt};
  }
  if (!question.dry_run) save_plan(*plan, file);
  return answer_with(std::move(*plan), file, question);
}

}  // namespace huddle
