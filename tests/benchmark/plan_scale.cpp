// Times that a step of many ranks takes to follow its plan: in srun, on each node, in each task.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/node_places.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "tests/benchmark/benchmark_main.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: plan_scale [--ranks N] [--nodes N] [--rounds N] FILE\n"
    "Writes a made-up plan to FILE and prints what following it takes. Default: 65536 ranks on "
    "512\n"
    "nodes, 20 rounds, of which the fastest is printed, as other work only ever adds time.\n";

struct Options {
  std::uint32_t ranks = 65536;
  std::uint32_t nodes = 512;
  std::uint32_t rounds = 20;
  std::string file;
};

Options parsed(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto value = [&] {
      if (++i == arguments.size())
        throw UsageError(fmt::format("{} needs a number", arguments[i - 1]));
      return static_cast<std::uint32_t>(
          number_from(arguments[i], 1, std::numeric_limits<std::uint32_t>::max()));
    };
    if (arguments[i] == "--ranks")
      options.ranks = value();
    else if (arguments[i] == "--nodes")
      options.nodes = value();
    else if (arguments[i] == "--rounds")
      options.rounds = value();
    else
      options.file = arguments[i];
  }
  if (options.file.empty() || options.nodes > options.ranks) throw UsageError("which FILE?");
  return options;
}

// Neighbours in a plane of ranks share a node, as in a mapped plan: no node has ranks in a row.
Plan made_up(const Options& options) {
  Plan plan;
  plan.label = "scale";
  plan.user = "somebody";
  plan.ranks = options.ranks;
  plan.chosen.pattern = "2:8:8";
  plan.chosen.nodes = options.nodes;
  plan.chosen.ranks_per_node = (options.ranks + options.nodes - 1) / options.nodes;
  plan.reference = plan.chosen;
  plan.reference.nodes = options.ranks;
  plan.node_pus = plan.chosen.ranks_per_node;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    PuSet pus;
    pus.add(rank / options.nodes);
    plan.placement.push_back({NodeIndex{rank % options.nodes}, std::move(pus)});
  }
  return plan;
}

double least_ms(std::uint32_t rounds, const std::function<void()>& work) {
  std::vector<double> took;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    took.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::sort(took.begin(), took.end());
  return took.front();
}

void measure(const Options& options) {
  const Plan plan = made_up(options);
  std::vector<std::string> names;
  for (std::uint32_t node = 0; node < options.nodes; ++node)
    names.push_back(fmt::format("node{:04}", node));
  const auto row = [](std::string_view name, double ms) {
    fmt::print("{:<34} {:9.3f} ms\n", name, ms);
  };
  row("huddle plan writes it", least_ms(options.rounds, [&] { save_plan(plan, options.file); }));
  Plan read;
  row("srun reads it",
      least_ms(options.rounds, [&] { read = launch::load_plan_in_time(options.file); }));
  std::string list;
  row("srun names the nodes",
      least_ms(options.rounds, [&] { list = slurm_node_list(read, names); }));
  std::string places;
  row("a node finds its ranks", least_ms(options.rounds, [&] {
        places = launch::text_with_files(options.file, [&] {
          return text_of(
              parse_node_places(files::read_file(options.file, kMostPlanBytes), options.file, 0));
        });
      }));
  PuSet pus;
  row("a task finds its PUs", least_ms(options.rounds, [&] {
        pus = PuSet::parse(node_places_of(places).pus.back().second);
      }));
  if (pus.empty()) throw Error("the last rank of node 0 has no PUs");
  if (list.empty() || read.placement.size() != plan.placement.size())
    throw Error("the plan that was read is another one");
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main(
      "plan_scale", huddle::kUsage, argc, argv,
      [](const auto& arguments) { huddle::measure(huddle::parsed(arguments)); });
}
