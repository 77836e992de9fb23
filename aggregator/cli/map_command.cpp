// huddle map: puts the vertices of a graph on the cores of a hierarchy.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "aggregator/cli/commands.hpp"
#include "aggregator/cli/output.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/graph/metis_graph_file.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "commgraph/mapping/objective.hpp"
#include "profiles/formats/profile.hpp"
#include "profiles/store/atomic_file.hpp"

namespace huddle {
namespace {

struct Options {
  std::string graph;
  std::string hierarchy;
  std::string distance;
  std::string engine = "auto";
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string output;
  bool json = false;
};

bool is_profile(const std::string& file) {
  return file.ends_with(".json") || file.ends_with(".cbor");
}

std::string lines_of(const std::vector<std::uint32_t>& cores) {
  std::string lines;
  for (const std::uint32_t core : cores) fmt::format_to(std::back_inserter(lines), "{}\n", core);
  return lines;
}

void run(const Options& options) {
  const Hierarchy hierarchy = Hierarchy::parse(options.hierarchy, options.distance);
  const MappingOptions settings{engine_named(options.engine), options.seed, options.threads};
  const CommGraph graph = is_profile(options.graph)
                              ? comm_graph_of(load_profile(options.graph), Weight::kBytes)
                              : load_metis_graph(options.graph);
  const auto started = std::chrono::steady_clock::now();
  const Mapping mapping = map_ranks(graph, hierarchy, settings);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  const std::uint64_t cost = objective(graph, hierarchy, mapping.core_of);
  if (!options.output.empty()) put_out(lines_of(mapping.core_of), options.output);
  if (options.json) {
    const nlohmann::ordered_json answer = {{"objective", cost},
                                           {"seconds", taken.count()},
                                           {"engine", name_of(mapping.engine)},
                                           {"vertices", graph.vertices()},
                                           {"cores", hierarchy.cores()},
                                           {"seed", options.seed}};
    put_out(answer.dump(1) + "\n");
  } else if (options.output.empty()) {
    put_out(lines_of(mapping.core_of));
  }
  fmt::print(stderr, "huddle: J = {} by {} in {:.3f} s\n", cost, name_of(mapping.engine),
             taken.count());
}

}  // namespace

void add_map_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "map",
      "Put each vertex of a graph on a core, so that those that talk most are near: least sum of "
      "weight x distance over ordered pairs, with an exact share in every group");
  command
      ->add_option("GRAPH", options->graph,
                   "a METIS graph file, or a profile (.json or .cbor; edges weigh bytes)")
      ->required();
  command
      ->add_option(
          "--hierarchy", options->hierarchy,
          "sizes from the innermost level outwards, such as 2:2:2:128 for 2 cores a die, 2 "
          "dies a package, 2 packages a node, 128 nodes")
      ->required();
  command
      ->add_option("--distance", options->distance,
                   "distance within a group of each level, innermost first, such as 1:10:100:1000")
      ->required();
  command->add_option("--engine", options->engine, "auto, metis or identity")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "another seed may find another mapping")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "changes the time, never the mapping")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "where the cores go, line i for vertex i (default: standard output)");
  command->add_flag("--json", options->json, "print a summary as JSON");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
