// huddle recommend: ranks the packing patterns for a program on a machine, and writes a plan.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "aggregator/balance/balance_advice.hpp"
#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/pattern_table.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/commands/recommend/choice_options.hpp"
#include "aggregator/forecast/sizes/profiles_for_size.hpp"
#include "aggregator/predict/model/model.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/prediction_text.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "commgraph/topology/smt_node.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/forecast_json.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::string machine;
  std::string model;
  std::string size;
  std::string reference = "1:1:1";
  std::optional<std::uint32_t> nodes;
  ChoiceOptions choice;
  std::uint32_t cores_per_rank = 0;
  bool smt = false;
  std::string plan;
  bool json = false;
};

Reference reference_for(const Options& options, const Profile& profile, const NodeTopology& node,
                        const RankShape& rank) {
  if (options.reference == "measured") return measured_reference(profile, node);
  if (options.reference == "nodes") {
    if (!options.nodes) throw UsageError("--reference nodes needs --nodes");
    return reference_over(*options.nodes, profile.ranks, node);
  }
  const Pattern pattern = on_levels_of(node, slots_named(Pattern::parse(options.reference), rank));
  static_cast<void>(slots_of(pattern, node));  // says so if the node has no such pattern
  return reference_on(pattern, profile.ranks);
}

// For the chosen pattern, whose ranks share the clocks of packages on some machines.
std::optional<BalanceAdvice> balance_advice(const Recommendation& recommendation,
                                            const Profile& profile, const Machine& machine) {
  const Candidate* chosen = recommendation.chosen();
  if (chosen == nullptr) return std::nullopt;
  std::vector<std::uint32_t> clock_of;
  if (machine.frequencies && machine.frequencies->domain == ClockDomain::kPackage)
    for (const std::uint32_t core : chosen->core_of)
      clock_of.push_back(core / chosen->pattern.ranks_per_package());
  return advise_balancing(profile, machine, clock_of);
}

nlohmann::ordered_json json_of(const BalanceAdvice& advice) {
  return {{"saved", advice.saved},
          {"slowdown", advice.slowdown},
          {"imbalance", std::isfinite(advice.imbalance) ? nlohmann::ordered_json(advice.imbalance)
                                                        : nlohmann::ordered_json()}};
}

std::string as_json(const Recommendation& recommendation,
                    const std::optional<BalanceAdvice>& advice, double bound) {
  nlohmann::ordered_json answer;
  const Candidate* chosen = recommendation.chosen();
  answer["chosen"] = chosen != nullptr ? nlohmann::ordered_json(chosen->forecast.pattern)
                                       : nlohmann::ordered_json();
  answer["reference"] = recommendation.reference.pattern;
  answer["slowdown_bound"] = bound;
  answer["computation"] = name_of(recommendation.computation);
  if (advice) answer["clocks_that_follow_loads"] = json_of(*advice);
  answer["notes"] = recommendation.notes;
  for (const std::string& note : recommendation.choice_notes) answer["notes"].push_back(note);
  for (const std::string& note : coverage_notes(recommendation)) answer["notes"].push_back(note);
  answer["reference_forecast"] = json_of(recommendation.reference_forecast, Unknown::kNull);
  answer["patterns"] = nlohmann::ordered_json::array();
  for (const Candidate& candidate : recommendation.candidates)
    answer["patterns"].push_back(json_of(candidate.forecast, Unknown::kNull));
  return answer.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string sentence_of(const std::string& note) {
  std::string sentence = note;
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(note.front())));
  return sentence + ".\n";
}

std::string table_and_choice(const Recommendation& recommendation) {
  std::vector<PatternForecast> ranked;
  for (const Candidate& candidate : recommendation.candidates) ranked.push_back(candidate.forecast);
  const Candidate* chosen = recommendation.chosen();
  std::string text = pattern_table(recommendation.reference_forecast, ranked, chosen != nullptr);
  if (chosen == nullptr) return text + "\nNo pattern is feasible: stay with the reference.\n";
  if (chosen->forecast.nodes >= recommendation.reference.nodes &&
      chosen->forecast.pattern == recommendation.reference.pattern &&
      chosen->forecast.frequency == recommendation.reference_forecast.frequency)
    return text + "\nNo gain over the reference.\n";
  const std::optional<Hertz> frequency = chosen->forecast.frequency;
  const std::string at_frequency = frequency ? " at " + text_of(*frequency) : "";
  return text + fmt::format("\nTake {} on {} of {} nodes{}: {}.\n", chosen->forecast.pattern,
                            chosen->forecast.nodes, recommendation.reference.nodes, at_frequency,
                            prediction_text(chosen->forecast, recommendation.reference_forecast));
}

// How a method works, and its name in --computation.
std::string_view described(ComputationMethod method) {
  switch (method) {
    case ComputationMethod::kPaper:
      return "by the published regression (--computation paper)";
    case ComputationMethod::kShared:
      return "by a model of contention for caches and memory (--computation shared)";
    case ComputationMethod::kPrior:
      return "by contention for caches and memory as it usually is (--computation prior)";
    case ComputationMethod::kSimple:
      break;
  }
  return "to be as on the measured one whose ranks share most alike (--computation simple)";
}

std::string for_people(const Recommendation& recommendation,
                       const std::optional<BalanceAdvice>& advice) {
  std::string text = table_and_choice(recommendation);
  text += fmt::format("Computation on patterns that were not run is predicted {}.\n",
                      described(recommendation.computation));
  for (const std::string& note : coverage_notes(recommendation)) text += sentence_of(note);
  if (advice) text += sentence_of(text_of(*advice));
  return text;
}

Machine machine_for(const Options& options) {
  if (!options.machine.empty()) return machine_named(options.machine);
  fmt::print(
      stderr,
      "huddle: without --machine, the nodes are taken to be like this machine; what messages "
      "take is assumed\n");
  return this_machine();
}

// As asked, or as many as the ranks of the profile had.
std::uint32_t cores_for(const Options& options, const Profile& profile, const NodeTopology& node) {
  if (options.smt && options.cores_per_rank > 1)
    throw UsageError(
        "--smt and --cores-per-rank exclude each other: a rank of several cores has all their PUs");
  if (options.smt) return 1;
  if (options.cores_per_rank != 0) return options.cores_per_rank;
  const std::uint32_t cores = cores_of_each_rank(profile, node);
  if (cores > 1)
    fmt::print(stderr,
               "huddle: the ranks of {} had {} cores each, and get as many (--cores-per-rank says "
               "otherwise)\n",
               shortened(profile.label), cores);
  return cores;
}

void warn_of_other_cores(const std::vector<Profile>& profiles, const NodeTopology& node,
                         std::uint32_t cores) {
  for (const Profile& profile : profiles)
    if (const std::string why = why_other_cores(profile, node, cores); !why.empty())
      fmt::print(stderr, "huddle: the run of {} {}: what is predicted from it may be far off\n",
                 shortened(profile.label), why);
}

ProfilesForSize load_profiles(const Options& options) {
  const std::optional<double> size = asked_size("--size", options.size);
  std::vector<Profile> profiles;
  for (const std::string& file : options.profiles) profiles.push_back(load_profile(file));
  return profiles_for_size(std::move(profiles), options.profiles, size);
}

Recommender recommender_for(const Options& options, Machine machine, const NodeTopology& node,
                            std::uint32_t cores_per_rank) {
  if (options.model.empty()) return {std::move(machine), node, cores_per_rank};
  Model model = load_model(options.model);
  if (!model.machine.empty() && model.machine != machine.name)
    fmt::print(stderr, "huddle: the model was learnt on {}, and the machine is {}\n",
               shortened(model.machine), shortened(machine.name));
  return {std::move(machine), node, cores_per_rank, std::move(model.computation)};
}

RecommendationOptions settings_from(const Options& options, const Machine& machine,
                                    std::uint32_t ranks) {
  RecommendationOptions settings;
  static_cast<ChoiceCriteria&>(settings) = options.choice.criteria();
  settings.threads = std::max(1U, std::thread::hardware_concurrency());
  settings.most_nodes = options.nodes;
  if (!settings.most_nodes && machine.nodes == 0) settings.most_nodes = ranks;
  return settings;
}

void write_plan(const Options& options, Plan plan) {
  if (!plan.rank_frequencies.empty()) fmt::print(stderr, "huddle: the plan: {}\n", plan.reason);
  plan.made_from = options.profiles;
  save_plan(plan, options.plan);
}

void print_notes(const Recommendation& recommendation, bool with_model,
                 const ProfilesForSize& of_size) {
  const auto print = [](const std::vector<std::string>& notes) {
    for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  };
  if (with_model) print(recommendation.notes);
  print(recommendation.choice_notes);
  print(of_size.notes);
}

void run(const Options& options) {
  Machine machine = machine_for(options);
  NodeTopology node =
      load_topology(machine.topology, options.machine.empty() ? "this machine" : options.machine);
  if (options.smt) node = pus_of_node(node);
  const ProfilesForSize of_size = load_profiles(options);
  const Profile& profile = of_size.profiles.front();
  const std::uint32_t cores = cores_for(options, profile, node);
  const Recommender recommender = recommender_for(options, std::move(machine), node, cores);
  warn_of_other_cores(of_size.profiles, node, cores);
  const RecommendationOptions settings =
      settings_from(options, recommender.machine(), profile.ranks);
  const Reference reference =
      reference_for(options, profile, recommender.slots(), recommender.rank());
  Progress progress("patterns");
  Recommendation recommendation =
      recommender.recommend(of_size.profiles, reference, settings,
                            [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  if (!options.plan.empty())
    write_plan(options, recommender.plan(recommendation, profile, settings));
  const std::optional<BalanceAdvice> advice =
      balance_advice(recommendation, profile, recommender.machine());
  if (options.json) return put_out(as_json(recommendation, advice, settings.slowdown));
  print_notes(recommendation, recommender.has_model(), of_size);
  put_out(for_people(recommendation, advice));
}

}  // namespace

void add_recommend_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "recommend",
      "Rank the packing patterns of a machine for a program, and write a plan.\nHow packing slows "
      "computation down comes from a model (see huddle train); without one, it changes computation "
      "only if samples say so. Communication comes from the machine's tables of messages and "
      "collectives (see huddle machine calibrate), or from latency and bandwidth by distance");
  command
      ->add_option("PROFILE", options->profiles,
                   "profiles of one program; the first one's traffic counts, the others are "
                   "samples of its computation on other patterns")
      ->required();
  command->add_option("--size", options->size,
                      "the problem size that is asked, such as 4096 or 64x64x32: only profiles of "
                      "that size count");
  command
      ->add_option("-m,--machine", options->machine,
                   "machine document (see huddle machine), the name of one on file, such as "
                   "system-g, or \"this\" for this machine (default: this, with a note)")
      ->value("FILE");
  command
      ->add_option("--model", options->model,
                   "what was learnt about computation (see huddle train); with it, times have "
                   "an interval that holds the true one 9 times in 10")
      ->value("FILE");
  command->add_option("--nodes", options->nodes,
                      "the most nodes that may be used (default: what the machine has)");
  command
      ->add_option("--cores-per-rank", options->cores_per_rank,
                   "how many cores each rank has, for its threads (default: as many as the first "
                   "profile's ranks had for certain, else 1)")
      ->check(cli::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  command->add_flag(
      "--smt", options->smt,
      "look at patterns with several ranks on each core, too, one on each of its PUs: "
      "a fourth number counts them, as in 2:1:4:2");
  command
      ->add_option("--reference", options->reference,
                   "what slowdown is measured against: a pattern; \"measured\", the first "
                   "profile's own layout; or \"nodes\", spread evenly over --nodes")
      ->capture_default_str();
  options->choice.add_to(*command);
  command->add_option("--plan", options->plan, "write the plan for the best pattern to this file")
      ->value("FILE");
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle recommend profile.json -m machine.json");
  command->add_example("huddle recommend sparse.json packed.json -m machine.json --plan plan.json",
                       "from two runs; keeps the plan");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
