#include "aggregator/commands/recommend/recommend_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/forecast/sizes/profiles_for_size.hpp"
#include "aggregator/predict/model/model.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/topology/smt_node.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::cli {
namespace {

// The time after which nodes of this machine sleep, where it is known for some.
Seconds longest_sleep_after(const UnusedNodes& unused) {
  Seconds longest = unused.sleeps_after;
  for (const UnusedGroup& group : unused.groups) longest = std::max(longest, group.sleeps_after);
  return longest;
}

// Throws UsageError.
std::optional<FrequencyRange> frequencies_from(const std::string& text) {
  const std::optional<FrequencyWish> wish = parse_frequency_wish(text);
  if (!wish)
    throw UsageError(fmt::format(
        "--frequency {}: expected keep, auto, a frequency such as 1.8GHz, or a range such "
        "as 1.2GHz-2.4GHz",
        shortened(text)));
  if (wish->kind == FrequencyWish::Kind::kKeep) return std::nullopt;
  return wish->range;
}

predict::Reference reference_for(const RecommendOptions& options, const Profile& profile,
                                 const recommend::Recommender& recommender) {
  const commgraph::NodeTopology& node = recommender.slots();
  if (options.reference.empty()) {
    const std::uint32_t nodes = recommender.machine().nodes;
    const bool has_too_few = nodes != 0 && nodes < profile.ranks;
    if (has_too_few && std::uint64_t{nodes} * node.cores.size() >= profile.ranks)
      return predict::reference_over(nodes, profile.ranks, node);
    return predict::reference_on(predict::on_levels_of(node, predict::Pattern::parse("1:1:1")),
                                 profile.ranks);
  }
  if (options.reference == "measured") return predict::measured_reference(profile, node);
  if (options.reference == "nodes") {
    if (!options.nodes) throw UsageError("--reference nodes needs --nodes");
    return predict::reference_over(*options.nodes, profile.ranks, node);
  }
  const predict::Pattern pattern = predict::on_levels_of(
      node, predict::slots_named(predict::Pattern::parse(options.reference), recommender.rank()));
  static_cast<void>(predict::slots_of(pattern, node));  // says so if the node has no such pattern
  return predict::reference_on(pattern, profile.ranks);
}

// For the chosen pattern, whose ranks share the clocks of packages on some machines.
std::optional<balance::BalanceAdvice> balance_advice(
    const recommend::Recommendation& recommendation, const Profile& profile,
    const Machine& machine) {
  const recommend::Candidate* chosen = recommendation.chosen();
  if (chosen == nullptr) return std::nullopt;
  std::vector<std::uint32_t> clock_of;
  if (machine.frequencies && machine.frequencies->domain == ClockDomain::kPackage)
    for (const std::uint32_t core : chosen->core_of)
      clock_of.push_back(core / chosen->pattern.ranks_per_package());
  return balance::advise_balancing(profile, machine, clock_of);
}

Machine machine_for(const RecommendOptions& options) {
  if (!options.machine.empty()) return machine_named(options.machine);
  fmt::print(
      stderr,
      "huddle: without --machine, the nodes are taken to be like this machine; what messages "
      "take is assumed\n");
  return this_machine();
}

void take_unused_nodes(const RecommendOptions& options, Machine& machine) {
  if (options.unused_nodes.empty()) return;
  UnusedNodes unused{{*node_fate_of(options.unused_nodes), {}}, {}, Origin::kGiven, {}};
  if (machine.unused_nodes && unused.fate == NodeFate::kSleeps)
    unused.sleeps_after = longest_sleep_after(*machine.unused_nodes);
  machine.unused_nodes = std::move(unused);
}

std::string unused_nodes_text(const Machine& machine) {
  if (!machine.power) return {};
  return fmt::format("Nodes that the job leaves unused: {} ({})",
                     text_of(fates_of(machine.unused_nodes, machine.nodes)),
                     machine.unused_nodes ? name_of(machine.unused_nodes->origin)
                                          : "assumed: --unused-nodes says otherwise");
}

// As asked, or as many as the ranks of the profile had.
std::uint32_t cores_for(const RecommendOptions& options, const Profile& profile,
                        const commgraph::NodeTopology& node) {
  if (options.smt && options.cores_per_rank > 1)
    throw UsageError(
        "--smt and --cores-per-rank exclude each other: a rank of several cores has all their PUs");
  if (options.smt) return 1;
  if (options.cores_per_rank != 0) return options.cores_per_rank;
  const std::uint32_t cores = predict::cores_of_each_rank(profile, node);
  if (cores > 1)
    fmt::print(stderr,
               "huddle: the ranks of {} had {} cores each, and get as many (--cores-per-rank says "
               "otherwise)\n",
               shortened(profile.label), cores);
  return cores;
}

void warn_of_other_cores(const std::vector<Profile>& profiles, const commgraph::NodeTopology& node,
                         std::uint32_t cores) {
  for (const Profile& profile : profiles)
    if (const std::string why = predict::why_other_cores(profile, node, cores); !why.empty())
      fmt::print(stderr, "huddle: the run of {} {}: what is predicted from it may be far off\n",
                 shortened(profile.label), why);
}

forecast::ProfilesForSize load_profiles(const RecommendOptions& options) {
  const std::optional<double> size = asked_size("--size", options.size);
  std::vector<Profile> profiles;
  for (const std::string& file : options.profiles) profiles.push_back(load_profile(file));
  return forecast::profiles_for_size(std::move(profiles), options.profiles, size);
}

recommend::Recommender recommender_for(const RecommendOptions& options, Machine machine,
                                       const commgraph::NodeTopology& node,
                                       std::uint32_t cores_per_rank) {
  if (options.model.empty()) return {std::move(machine), node, cores_per_rank};
  predict::Model model = predict::load_model(options.model);
  if (!model.machine.empty() && model.machine != machine.name)
    fmt::print(stderr, "huddle: the model was learnt on {}, and the machine is {}\n",
               shortened(model.machine), shortened(machine.name));
  return {std::move(machine), node, cores_per_rank, std::move(model.computation)};
}

recommend::RecommendationOptions settings_from(const RecommendOptions& options,
                                               const Machine& machine, std::uint32_t ranks) {
  recommend::RecommendationOptions settings;
  settings.slowdown = share_from("--slowdown", options.slowdown);
  settings.objective = *objective_of(options.objective);
  settings.frequencies = frequencies_from(options.frequency);
  settings.computation = computation_method_of(options.computation);  // nothing of auto
  settings.threads = std::max(1U, std::thread::hardware_concurrency());
  settings.most_nodes = options.nodes;
  if (!settings.most_nodes && machine.nodes == 0) settings.most_nodes = ranks;
  return settings;
}

void write_plan(const RecommendOptions& options, Plan plan) {
  if (!plan.rank_frequencies.empty()) fmt::print(stderr, "huddle: the plan: {}\n", plan.reason);
  plan.made_from = options.profiles;
  save_plan(plan, options.plan);
}

}  // namespace

RecommendAnswer recommend_by(const RecommendOptions& options) {
  Machine machine = machine_for(options);
  take_unused_nodes(options, machine);
  commgraph::NodeTopology node = commgraph::load_topology(
      machine.topology, options.machine.empty() ? "this machine" : options.machine);
  if (options.smt) node = commgraph::pus_of_node(node);
  const forecast::ProfilesForSize of_size = load_profiles(options);
  const Profile& profile = of_size.profiles.front();
  const std::uint32_t cores = cores_for(options, profile, node);
  const recommend::Recommender recommender =
      recommender_for(options, std::move(machine), node, cores);
  warn_of_other_cores(of_size.profiles, node, cores);
  const recommend::RecommendationOptions settings =
      settings_from(options, recommender.machine(), profile.ranks);
  const predict::Reference reference = reference_for(options, profile, recommender);
  render::Progress progress("patterns");
  RecommendAnswer answer;
  answer.bound = settings.slowdown;
  answer.unused_nodes = unused_nodes_text(recommender.machine());
  answer.recommendation =
      recommender.recommend(of_size.profiles, reference, settings,
                            [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  if (!options.plan.empty())
    write_plan(options, recommender.plan(answer.recommendation, profile, settings));
  answer.balance = balance_advice(answer.recommendation, profile, recommender.machine());
  if (recommender.has_model()) answer.notes = answer.recommendation.notes;
  for (const std::string& note : answer.recommendation.choice_notes) answer.notes.push_back(note);
  for (const std::string& note : of_size.notes) answer.notes.push_back(note);
  return answer;
}

}  // namespace huddle::cli
