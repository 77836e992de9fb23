#include "aggregator/commands/map/map_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "aggregator/commands/common/machine_on_file.hpp"
#include "commgraph/graph/metis_graph_file.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

enum class EdgeWeight : std::uint8_t { kBytes, kMessages, kTime };
const std::map<std::string, EdgeWeight> kWeights = {{"bytes", EdgeWeight::kBytes},
                                                    {"messages", EdgeWeight::kMessages},
                                                    {"time", EdgeWeight::kTime}};

EdgeWeight weight_of(const GraphInput& input) {
  return input.weight.empty() ? EdgeWeight::kBytes : kWeights.at(input.weight);
}

void check(const GraphInput& input) {
  const std::array given = {std::pair{!input.weight.empty(), "--weight"},
                            std::pair{input.no_collectives, "--no-collectives"}};
  for (const auto& [is_given, name] : given)
    if (is_given && !is_profile(input.graph))
      throw UsageError(
          fmt::format("{} is for profiles (.json or .cbor), and {} is taken for a METIS graph "
                      "file, whose edges "
                      "have their weights",
                      name, shortened(input.graph)));
  const bool by_time = weight_of(input) == EdgeWeight::kTime;
  if (by_time && input.machine.empty())
    throw UsageError(
        "--weight time needs --machine: what a message costs is in the machine document");
}

MappingGraph graph_of_profile(const GraphInput& input, const Hierarchy& hierarchy) {
  const Profile profile = load_profile(input.graph);
  TrafficOptions traffic;
  traffic.collectives = !input.no_collectives;
  const EdgeWeight weight = weight_of(input);
  if (weight != EdgeWeight::kTime)
    return mapping_graph_of(
        profile, weight == EdgeWeight::kBytes ? Weight::kBytes : Weight::kMessages, traffic);
  TimeWeights weights;
  weights.ranks_per_node = std::min(hierarchy.cores_per_node(), profile.ranks);
  // J counts each edge twice, and must stay below 2^64.
  weights.most_total = std::numeric_limits<std::int64_t>::max() /
                       std::max<std::uint64_t>(hierarchy.largest_distance(), 1);
  return mapping_graph_by_time(profile, machine_named(input.machine), weights, traffic);
}

std::string_view words_for(NotExpanded reason) {
  switch (reason) {
    case NotExpanded::kSameForAll:
      return "as far as the profile tells, every rank sends to all others alike";
    case NotExpanded::kMembersUnknown:
      return "the profile does not say who took part";
    case NotExpanded::kIntercommunicator:
      return "it went between the groups of an intercommunicator";
    case NotExpanded::kOperationUnknown:
      return "how such an operation travels is not known";
    case NotExpanded::kTooManyEdges:
      return "it would take too many edges";
  }
  return {};
}

// What a user must know to judge the mapping, on standard error.
void tell_what_is_missing(const MappingGraph& graph) {
  const bool no_effect = graph.graph.edges() == 0;
  if (no_effect) fmt::print(stderr, "huddle: the graph has no edges, so grouping has no effect\n");
  for (std::size_t i = 0; i < kReasonsNotExpanded; ++i) {
    const auto reason = static_cast<NotExpanded>(i);
    const CollectivesLeftOut& left_out = graph.left_out[i];
    // What is the same for all is missed by nobody, unless it is all there is.
    if (left_out.bytes.value == 0 || (reason == NotExpanded::kSameForAll && !no_effect)) continue;
    fmt::print(stderr, "huddle: not in the graph: {} bytes by {}: {}\n", left_out.bytes.value,
               shortened(fmt::format("{}", fmt::join(left_out.operations, ", "))),
               words_for(reason));
  }
}

}  // namespace

void add_graph_options(CLI::App& command, GraphInput& input) {
  command.add_option("GRAPH", input.graph, "a METIS graph file, or a profile (.json or .cbor)")
      ->required();
  command
      .add_option(
          "--weight", input.weight,
          "what the edges of a profile weigh: bytes (the default), messages, or time, which "
          "is what it costs by predicted time not to share a node")
      ->check(CLI::IsMember(kWeights));
  command.add_option(
      "-m,--machine", input.machine,
      "machine document: what messages cost, for --weight time, and for distances if "
      "--distance is not given (see huddle machine)");
  command.add_flag("--no-collectives", input.no_collectives,
                   "leave out the messages that collectives are estimated to be made of");
}

bool is_profile(const std::string& file) {
  return file.ends_with(".json") || file.ends_with(".cbor");
}

CommGraph read_graph(const GraphInput& input, const Hierarchy& hierarchy) {
  check(input);
  if (!is_profile(input.graph)) {
    CommGraph graph = load_metis_graph(input.graph);
    tell_what_is_missing({graph, {}});
    return graph;
  }
  const MappingGraph graph = graph_of_profile(input, hierarchy);
  tell_what_is_missing(graph);
  return graph.graph;
}

}  // namespace huddle
