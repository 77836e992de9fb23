// huddle map: puts the vertices of a graph on the cores of a hierarchy.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "aggregator/commands/common/commands.hpp"
#include "profiles/processes/interruption.hpp"
#include "aggregator/commands/map/map_graph.hpp"
#include "aggregator/commands/map/map_target.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "commgraph/mapping/objective.hpp"

namespace huddle {
namespace {

struct Options {
  GraphInput input;
  TargetOptions target;
  std::string engine = "auto";
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::string output;
  bool json = false;
};

std::string lines_of(const MapTarget& target, const std::vector<std::uint32_t>& cores) {
  std::string lines;
  for (const std::uint32_t core : cores)
    fmt::format_to(std::back_inserter(lines), "{}\n", target.whole_core(core));
  return lines;
}

// A mapping and what there is to tell of it.
struct Outcome {
  Mapping mapping;
  std::uint64_t cost = 0;
  double seconds = 0;
  bool interrupted = false;
};

Outcome map(const Options& options, const CommGraph& graph, const MapTarget& target) {
  Outcome outcome;
  MappingOptions settings;
  settings.engine = engine_named(options.engine);
  settings.seed = options.seed;
  settings.threads = options.threads;
  settings.node_sizes = target.node_sizes();
  // Kernighan-Lin has nothing to give before its end: Ctrl-C ends it as ever.
  std::optional<Interruption> interruption;
  if (settings.engine != Engine::kKernighanLin) interruption.emplace();
  settings.stop = [&] { return interruption && interruption->requested(); };
  StepProgress progress(interruption ? "Ctrl-C takes the best so far" : "Ctrl-C gives up");
  progress.begin("mapping");
  settings.progress = [&](std::string_view step) { progress.begin(step); };
  const auto started = std::chrono::steady_clock::now();
  outcome.mapping = map_ranks(graph, target.hierarchy(), settings);
  outcome.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  outcome.cost = objective(graph, target.hierarchy(), outcome.mapping.core_of);
  outcome.interrupted = settings.stop();
  return outcome;
}

void run(const Options& options) {
  const MapTarget target(options.target, options.input.machine);
  const CommGraph graph = read_graph(options.input, target.hierarchy());
  const Outcome outcome = map(options, graph, target);
  const std::string lines = lines_of(target, outcome.mapping.core_of);
  if (!options.output.empty()) put_out(lines, options.output);
  if (options.json) {
    const nlohmann::ordered_json answer = {{"objective", outcome.cost},
                                           {"seconds", outcome.seconds},
                                           {"engine", name_of(outcome.mapping.engine)},
                                           {"vertices", graph.vertices()},
                                           {"cores", target.whole_cores()},
                                           {"seed", options.seed},
                                           {"interrupted", outcome.interrupted}};
    put_out(answer.dump(1) + "\n");
  } else if (options.output.empty()) {
    put_out(lines);
  }
  fmt::print(stderr, "huddle: J = {} by {} in {:.3f} s{}\n", outcome.cost,
             name_of(outcome.mapping.engine), outcome.seconds,
             outcome.interrupted ? ", interrupted" : "");
}

}  // namespace

void add_map_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
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
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  command->add_option("-o,--output", options->output,
                      "where the cores go, line i for vertex i (default: standard output)");
  command->add_flag("--json", options->json, "print a summary as JSON");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
