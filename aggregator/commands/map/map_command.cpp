// huddle map: puts the vertices of a graph on the cores of a hierarchy.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/graph/metis_graph_file.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "commgraph/mapping/objective.hpp"
#include "commgraph/topology/hierarchy.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/processes/interruption.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// Where the graph comes from.
struct GraphInput {
  std::string graph;
  std::string weight;  // empty: not given
  std::string machine;
};

// Any other name is taken for that of a METIS graph file.
bool is_profile(const std::string& file) {
  return file.ends_with(".json") || file.ends_with(".cbor");
}

enum class EdgeWeight : std::uint8_t { kBytes, kMessages, kTime };
const std::map<std::string, EdgeWeight> kWeights = {{"bytes", EdgeWeight::kBytes},
                                                    {"messages", EdgeWeight::kMessages},
                                                    {"time", EdgeWeight::kTime}};

EdgeWeight weight_of(const GraphInput& input) {
  return input.weight.empty() ? EdgeWeight::kBytes : kWeights.at(input.weight);
}

void check(const GraphInput& input) {
  if (!input.weight.empty() && !is_profile(input.graph))
    throw UsageError(
        fmt::format("--weight is for profiles (.json or .cbor), and {} is taken for a METIS graph "
                    "file, whose edges have their weights",
                    shortened(input.graph)));
  const bool by_time = weight_of(input) == EdgeWeight::kTime;
  if (by_time && input.machine.empty())
    throw UsageError(
        "--weight time needs --machine: what a message costs is in the machine document");
}

commgraph::MappingGraph graph_of_profile(const GraphInput& input,
                                         const commgraph::Hierarchy& hierarchy) {
  const Profile profile = load_profile(input.graph);
  const EdgeWeight weight = weight_of(input);
  if (weight != EdgeWeight::kTime)
    return commgraph::mapping_graph_of(profile, weight == EdgeWeight::kBytes
                                                    ? commgraph::Weight::kBytes
                                                    : commgraph::Weight::kMessages);
  commgraph::TimeWeights weights;
  weights.ranks_per_node = std::min(hierarchy.cores_per_node(), profile.ranks);
  // J counts each edge twice, and must stay below 2^64.
  weights.most_total = std::numeric_limits<std::int64_t>::max() /
                       std::max<std::uint64_t>(hierarchy.largest_distance(), 1);
  return commgraph::mapping_graph_by_time(profile, machine_named(input.machine), weights);
}

std::string_view words_for(commgraph::NotExpanded reason) {
  switch (reason) {
    case commgraph::NotExpanded::kSameForAll:
      return "as far as the profile shows, every rank sends to all others alike";
    case commgraph::NotExpanded::kMembersUnknown:
      return "the profile does not say who took part";
    case commgraph::NotExpanded::kIntercommunicator:
      return "it went between the groups of an intercommunicator";
    case commgraph::NotExpanded::kOperationUnknown:
      return "how such an operation travels is not known";
    case commgraph::NotExpanded::kTooManyEdges:
      return "it would take too many edges";
  }
  return {};
}

// Says what a user must know to judge the mapping, on standard error.
void report_what_is_missing(const commgraph::MappingGraph& graph) {
  const bool no_effect = graph.graph.edges() == 0;
  if (no_effect) fmt::print(stderr, "huddle: the graph has no edges, so grouping has no effect\n");
  for (std::size_t i = 0; i < commgraph::kReasonsNotExpanded; ++i) {
    const auto reason = static_cast<commgraph::NotExpanded>(i);
    const commgraph::CollectivesLeftOut& left_out = graph.left_out[i];
    // A column that is the same for all is missed by nobody, unless it is all there is.
    if (left_out.bytes.value == 0 || (reason == commgraph::NotExpanded::kSameForAll && !no_effect))
      continue;
    fmt::print(stderr, "huddle: not in the graph: {} bytes by {}: {}\n", left_out.bytes.value,
               shortened(fmt::format("{}", fmt::join(left_out.operations, ", "))),
               words_for(reason));
  }
}

// Reads the graph and says on standard error what is missing from it.
commgraph::CommGraph read_graph(const GraphInput& input, const commgraph::Hierarchy& hierarchy) {
  check(input);
  if (!is_profile(input.graph)) {
    commgraph::CommGraph graph = commgraph::load_metis_graph(input.graph);
    report_what_is_missing({graph, {}});
    return graph;
  }
  const commgraph::MappingGraph graph = graph_of_profile(input, hierarchy);
  report_what_is_missing(graph);
  return graph.graph;
}

void add_graph_options(cli::App& command, GraphInput& input) {
  command.add_option("GRAPH", input.graph, "a METIS graph file, or a profile (.json or .cbor)")
      ->required();
  command
      .add_option(
          "--weight", input.weight,
          "what the edges of a profile weigh: bytes (the default), messages, or time, which "
          "is what it costs by predicted time not to share a node")
      ->check(cli::IsMember(kWeights));
  command
      .add_option("-m,--machine", input.machine,
                  "machine document: what messages cost, for --weight time, and for distances if "
                  "--distance is not given (see huddle machine)")
      ->value("FILE");
}

// The hierarchy to map to, as given.
struct TargetOptions {
  std::string hierarchy;
  std::string distance;  // empty: from the machine
  std::string pattern;
};

commgraph::Hierarchy whole_machine(const TargetOptions& options, const std::string& machine) {
  // Cores of a die, dies of a package, packages of a node, nodes; and the two that a pattern may
  // have in addition.
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kMost = 6;
  std::string distance = options.distance;
  if (distance.empty()) {
    if (machine.empty())
      throw UsageError("--distance is missing: give distances, or --machine to take them from");
    distance = fmt::format("{}", fmt::join(predict::distances_of(machine_named(machine)), ":"));
  }
  commgraph::Hierarchy hierarchy = commgraph::Hierarchy::parse(options.hierarchy, distance);
  if ((hierarchy.levels() < kFewest || hierarchy.levels() > kMost) && !options.pattern.empty())
    throw UsageError(
        fmt::format("--pattern is for a hierarchy of cores, dies, packages and nodes, such as "
                    "2:2:2:128; {} has {} levels",
                    shortened(options.hierarchy), hierarchy.levels()));
  return hierarchy;
}

void add_target_options(cli::App& command, TargetOptions& options) {
  command
      .add_option("--hierarchy", options.hierarchy,
                  "sizes from the innermost level outwards, such as 2:2:2:128 for 2 cores a die, 2 "
                  "dies a package, 2 packages a node, 128 nodes")
      ->required();
  command.add_option("--distance", options.distance,
                     "distance within a group of each level, innermost first, such as "
                     "1:10:100:1000 (default: the times of --machine)");
  command.add_option(
      "--pattern", options.pattern,
      "use only these cores of each node: packages, dies of each, cores of each, such as 2:1:2");
}

struct Options {
  GraphInput input;
  TargetOptions target;
  std::string engine = "auto";
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string output;
  bool json = false;
};

// The cores that may be used; with a pattern, `used` has only the pattern's cores.
struct Target {
  commgraph::Hierarchy whole;
  commgraph::Hierarchy used;
};

Target target_of(const TargetOptions& options, const std::string& machine) {
  commgraph::Hierarchy whole = whole_machine(options, machine);
  commgraph::Hierarchy used =
      options.pattern.empty() ? whole
                              : predict::part_of(whole, predict::Pattern::parse(options.pattern));
  return {std::move(whole), std::move(used)};
}

std::string lines_of(const Target& target, const std::vector<std::uint32_t>& cores) {
  std::string lines;
  for (const std::uint32_t core : cores)
    fmt::format_to(std::back_inserter(lines), "{}\n",
                   commgraph::core_in_whole(target.used, target.whole, core));
  return lines;
}

struct Outcome {
  commgraph::Mapping mapping;
  std::uint64_t cost = 0;
  double seconds = 0;
  bool interrupted = false;
};

Outcome map(const Options& options, const commgraph::CommGraph& graph, const Target& target) {
  Outcome outcome;
  commgraph::MappingOptions settings;
  settings.engine = commgraph::engine_named(options.engine);
  settings.seed = options.seed;
  settings.threads = options.threads;
  // Kernighan-Lin has nothing to give before its end: Ctrl-C ends it as ever.
  std::optional<processes::Interruption> interruption;
  if (settings.engine != commgraph::Engine::kKernighanLin) interruption.emplace();
  settings.stop = [&] { return interruption && interruption->requested(); };
  render::StepProgress progress(interruption ? "Ctrl-C takes the best so far" : "Ctrl-C gives up");
  progress.begin("mapping");
  settings.progress = [&](std::string_view step) { progress.begin(step); };
  const auto started = std::chrono::steady_clock::now();
  outcome.mapping = commgraph::map_ranks(graph, target.used, settings);
  outcome.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  outcome.cost = commgraph::objective(graph, target.used, outcome.mapping.core_of);
  outcome.interrupted = settings.stop();
  return outcome;
}

void run(const Options& options) {
  const Target target = target_of(options.target, options.input.machine);
  const commgraph::CommGraph graph = read_graph(options.input, target.used);
  const Outcome outcome = map(options, graph, target);
  const std::string lines = lines_of(target, outcome.mapping.core_of);
  if (!options.output.empty()) render::put_out(lines, options.output);
  if (options.json) {
    const nlohmann::ordered_json answer = {{"objective", outcome.cost},
                                           {"seconds", outcome.seconds},
                                           {"engine", name_of(outcome.mapping.engine)},
                                           {"vertices", graph.vertices()},
                                           {"cores", target.whole.cores()},
                                           {"seed", options.seed},
                                           {"interrupted", outcome.interrupted}};
    render::put_out(answer.dump(1) + "\n");
  } else if (options.output.empty()) {
    render::put_out(lines);
  }
  fmt::print(stderr, "huddle: J = {} by {} in {:.3f} s{}\n", outcome.cost,
             name_of(outcome.mapping.engine), outcome.seconds,
             outcome.interrupted ? ", interrupted" : "");
}

}  // namespace

void add_map_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "map",
      "Put each vertex of a graph on a core, so that those that talk most are near: least sum of "
      "weight x distance over ordered pairs, with an exact share in every group");
  add_graph_options(*command, options->input);
  add_target_options(*command, options->target);
  command
      ->add_option("--engine", options->engine,
                   "auto (the best), kl (Kernighan-Lin, the paper's), metis or identity")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "another seed may find another mapping")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "changes the time, never the mapping")
      ->check(cli::Range(1U, 1024U))
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->output,
                   "where the cores go, line i for vertex i (default: standard output)")
      ->value("FILE");
  command->add_flag("--json", options->json, "print a summary as JSON");
  command->add_example("huddle map ring.graph --hierarchy 2:2:2 --distance 1:10:100");
  command->add_example(
      "huddle map profile.json --hierarchy 2:2:2:2 --distance 1:10:100:1000 --weight time -m "
      "machine.json");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
