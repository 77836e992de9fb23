// huddle recommend: ranks the packing patterns for a program on a machine, and writes a plan.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "aggregator/recommend/slack_frequencies.hpp"
#include "aggregator/commands/common/choice_options.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/pattern_table.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/forecast/sizes/profiles_for_size.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/predict/computation/model_conversion.hpp"
#include "aggregator/predict/pattern/rank_cores.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/model/model.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"

namespace huddle {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::string machine;
  std::string model;
  std::string computation = "auto";
  std::string size;
  SizeArgumentOption size_argument;
  std::string reference = "1:1:1";
  std::optional<std::uint32_t> nodes;
  ChoiceOptions choice;
  std::uint32_t cores_per_rank = 0;
  std::string unused_nodes = "off";
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::string plan;
  bool json = false;
};

const std::map<std::string, UnusedNodes> kUnusedNodes = {
    {"off", UnusedNodes::kOff}, {"idle", UnusedNodes::kIdle}, {"ignored", UnusedNodes::kIgnored}};

const std::map<std::string, std::optional<ComputationMethod>> kMethods = {
    {"auto", {}},
    {"paper", ComputationMethod::kPaper},
    {"shared", ComputationMethod::kShared},
    {"simple", ComputationMethod::kSimple}};

Reference reference_for(const Options& options, const Profile& profile, const NodeTopology& node,
                        const RankShape& rank) {
  if (options.reference == "measured") return measured_reference(profile, node);
  if (options.reference == "nodes") {
    if (!options.nodes) throw UsageError("--reference nodes needs --nodes");
    return reference_over(*options.nodes, profile.ranks, node);
  }
  const Pattern pattern = slots_named(Pattern::parse(options.reference), rank);
  static_cast<void>(slots_of(pattern, node));  // says so if the node has no such pattern
  return reference_on(pattern, profile.ranks);
}

nlohmann::ordered_json number(const std::optional<Seconds>& time) {
  return time ? nlohmann::ordered_json(time->value) : nlohmann::ordered_json();
}

nlohmann::ordered_json encoded(const PatternForecast& forecast) {
  return {{"pattern", forecast.pattern},
          {"ranks_per_node", forecast.ranks_per_node},
          {"nodes", forecast.nodes},
          {"time_s", forecast.time.value},
          {"time_low_s", number(forecast.time_low)},
          {"time_high_s", number(forecast.time_high)},
          {"computation_s", forecast.computation.value},
          {"communication_s", forecast.communication.value},
          {"communication_bound_s", number(forecast.communication_bound)},
          {"slowdown", forecast.slowdown},
          {"energy_j", forecast.energy ? nlohmann::ordered_json(forecast.energy->value)
                                       : nlohmann::ordered_json()},
          {"frequency_hz", forecast.frequency ? nlohmann::ordered_json(forecast.frequency->value)
                                              : nlohmann::ordered_json()},
          {"feasible", forecast.feasible},
          {"reason", forecast.reason}};
}

std::string as_json(const Recommendation& recommendation, const ProfilesForSize& of_size,
                    double bound) {
  nlohmann::ordered_json answer;
  const Candidate* chosen = recommendation.chosen();
  answer["chosen"] = chosen != nullptr ? nlohmann::ordered_json(chosen->forecast.pattern)
                                       : nlohmann::ordered_json();
  answer["reference"] = recommendation.reference.pattern;
  answer["slowdown_bound"] = bound;
  if (of_size.predicted) answer["forecast"] = json_of(*of_size.predicted);
  answer["computation"] = name_of(recommendation.computation);
  answer["notes"] = recommendation.notes;
  for (const std::string& note : recommendation.choice_notes) answer["notes"].push_back(note);
  answer["reference_forecast"] = encoded(recommendation.reference_forecast);
  answer["patterns"] = nlohmann::ordered_json::array();
  for (const Candidate& candidate : recommendation.candidates)
    answer["patterns"].push_back(encoded(candidate.forecast));
  return answer.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string for_people(const Recommendation& recommendation) {
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
  text +=
      fmt::format("\nTake {} on {} of {} nodes{}: predicted {:+.1f} % time",
                  chosen->forecast.pattern, chosen->forecast.nodes, recommendation.reference.nodes,
                  at_frequency, chosen->forecast.slowdown * 100);
  if (const std::optional<double> change =
          energy_change(chosen->forecast, recommendation.reference_forecast))
    text += fmt::format(", {:+.0f} % energy", *change * 100);
  return text + ".\n";
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
RankShape shape_for(const Options& options, const Profile& profile, const NodeTopology& node) {
  if (options.cores_per_rank != 0) return shape_of_rank(options.cores_per_rank, node);
  const std::uint32_t cores = cores_of_each_rank(profile, node);
  if (cores > 1)
    fmt::print(stderr,
               "huddle: the ranks of {} had {} cores each, and get as many (--cores-per-rank says "
               "otherwise)\n",
               shortened(profile.label), cores);
  return shape_of_rank(cores, node);
}

void warn_of_other_cores(const std::vector<Profile>& profiles, const NodeTopology& node,
                         const RankShape& rank) {
  for (const Profile& profile : profiles)
    if (const std::string why = why_other_cores(profile, node, rank.cores); !why.empty())
      fmt::print(stderr, "huddle: the run of {} {}: what is predicted from it may be far off\n",
                 shortened(profile.label), why);
}

ProfilesForSize load_profiles(const Options& options, const NodeTopology& node) {
  const std::optional<double> size = asked_size("--size", options.size);
  const std::vector<SizeArgument> places = options.size_argument.places();
  if (!size && !places.empty()) throw UsageError("--size-argument needs --size");
  std::vector<Profile> profiles;
  for (const std::string& file : options.profiles) profiles.push_back(load_profile(file));
  return profiles_for_size(std::move(profiles), options.profiles, size, places, node);
}

void write_plan(const Options& options, const Recommendation& recommendation,
                const ProfilesForSize& of_size, const Machine& machine, const NodeTopology& node,
                const RecommendationOptions& settings) {
  const Profile& profile = of_size.profiles.front();
  Plan plan = plan_of(recommendation, profile, node, Grouping::kMapped);
  set_slack_frequencies(plan, profile, machine, node, settings);
  if (!plan.rank_frequencies.empty()) fmt::print(stderr, "huddle: the plan: {}\n", plan.reason);
  if (of_size.predicted) plan.reason += "; " + text_of(*of_size.predicted);
  plan.made_from = options.profiles;
  save_plan(plan, options.plan);
}

void run(const Options& options) {
  const Machine machine = machine_for(options);
  const NodeTopology whole =
      load_topology(machine.topology, options.machine.empty() ? "this machine" : options.machine);
  const ProfilesForSize of_size = load_profiles(options, whole);
  const std::vector<Profile>& profiles = of_size.profiles;
  const RankShape rank = shape_for(options, profiles.front(), whole);
  warn_of_other_cores(profiles, whole, rank);
  const NodeTopology node = slots_of_node(whole, rank);
  RecommendationOptions settings;
  std::optional<ComputationModel> model;
  if (!options.model.empty()) {
    const Model document = load_model(options.model);
    model = model_from(document);
    if (!document.machine.empty() && document.machine != machine.name)
      fmt::print(stderr, "huddle: the model was learnt on {}, and the machine is {}\n",
                 shortened(document.machine), shortened(machine.name));
    settings.model = &*model;
  }
  settings.computation = kMethods.at(options.computation);
  settings.slowdown = options.choice.most_slowdown();
  settings.objective = options.choice.chosen_objective();
  settings.risk = options.choice.chosen_risk();
  settings.unused_nodes = kUnusedNodes.at(options.unused_nodes);
  settings.threads = options.threads;
  settings.most_nodes = options.nodes;
  settings.least_nodes = options.choice.least_nodes;
  settings.rank = rank;
  settings.frequencies = options.choice.frequencies();
  const Reference reference = reference_for(options, profiles.front(), node, rank);
  if (!settings.most_nodes && machine.nodes == 0) settings.most_nodes = profiles.front().ranks;
  Progress progress("patterns");
  Recommendation recommendation =
      recommend(profiles, machine, node, reference, settings,
                [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  if (of_size.predicted) widen_intervals(recommendation, *of_size.predicted);
  if (!options.plan.empty())
    write_plan(options, recommendation, of_size, machine, node, settings);
  if (!options.json && settings.model != nullptr)
    for (const std::string& note : recommendation.notes) fmt::print(stderr, "huddle: {}\n", note);
  if (!options.json)
    for (const std::string& note : recommendation.choice_notes)
      fmt::print(stderr, "huddle: {}\n", note);
  if (!options.json)
    for (const std::string& note : of_size.notes) fmt::print(stderr, "huddle: {}\n", note);
  const std::string origin =
      of_size.predicted ? "This run is " + text_of(*of_size.predicted) + ".\n\n" : "";
  put_out(options.json ? as_json(recommendation, of_size, settings.slowdown)
                       : origin + for_people(recommendation));
}

}  // namespace

void add_recommend_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
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
                      "the problem size that is asked, such as 4096 or 64x64x32. If no profile is "
                      "of it, what a run of it does is predicted from the profiles of other sizes: "
                      "two at least, better three or more, on the same cores");
  options->size_argument.add_to(*command);
  command->add_option("-m,--machine", options->machine,
                      "machine document (see huddle machine), the name of one on file, such as "
                      "system-g, or \"this\" for this machine (default: this, with a note)");
  command->add_option("--model", options->model,
                      "what was learnt about computation (see huddle train); with it, times have "
                      "an interval that holds the true one 9 times in 10");
  command
      ->add_option("--computation", options->computation,
                   "how computation is predicted: paper (regression on IPC), shared (contention "
                   "for caches and memory), simple (like the nearest sample) or auto (with a model "
                   "the one of the first two that erred less in training, else simple)")
      ->check(CLI::IsMember(kMethods))
      ->capture_default_str();
  command->add_option("--nodes", options->nodes,
                      "the most nodes that may be used (default: what the machine has)");
  command
      ->add_option("--cores-per-rank", options->cores_per_rank,
                   "how many cores each rank has, for its threads (default: as many as the first "
                   "profile's ranks had for certain, else 1)")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  command
      ->add_option("--reference", options->reference,
                   "what slowdown is measured against: a pattern; \"measured\", the first "
                   "profile's own layout; or \"nodes\", spread evenly over --nodes")
      ->capture_default_str();
  command
      ->add_option(
          "--unused-nodes", options->unused_nodes,
          "how nodes that the reference would use and a pattern does not count for energy: "
          "off, idle or ignored")
      ->check(CLI::IsMember(kUnusedNodes))
      ->capture_default_str();
  options->choice.add_to(*command);
  command->add_option("--threads", options->threads, "changes the time, never the result")
      ->check(CLI::Range(1U, 1024U));
  command->add_option("--plan", options->plan, "write the plan for the best pattern to this file");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
