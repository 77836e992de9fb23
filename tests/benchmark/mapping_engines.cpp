#include "tests/benchmark/mapping_engines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "commgraph/mapping/mapper.hpp"
#include "commgraph/mapping/recursive_mapping.hpp"
#include "commgraph/mapping/swap_refinement.hpp"
#include "commgraph/partition/exact_partition.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/mapping_check.hpp"
#include "tests/benchmark/scotch_mapping.hpp"

namespace huddle {
namespace {

using Cores = std::vector<std::uint32_t>;

Cores by_huddle(const MappingTask& task, commgraph::Engine engine, unsigned threads) {
  commgraph::MappingOptions options;
  options.engine = engine;
  options.seed = task.seed;
  options.threads = threads;
  return commgraph::map_ranks(task.graph, task.hierarchy, options).core_of;
}

// METIS level by level, each split repaired to exact sizes, then pair swaps.
Cores split_and_swap(const MappingTask& task, const commgraph::SplitOptions& options) {
  const auto split = [&](const commgraph::GraphView& part, std::span<const std::uint32_t> sizes) {
    return commgraph::partition_exactly(part, sizes, options);
  };
  const commgraph::GraphView view = task.graph.view();
  return commgraph::refine_by_swaps(
      view, task.hierarchy,
      commgraph::map_recursively(view, task.hierarchy,
                                 commgraph::node_shares(task.hierarchy, {}, view.vertices()),
                                 split));
}

Cores single_metis(const MappingTask& task) {
  return split_and_swap(task, {commgraph::SplitMethod::kRecursive, task.seed, 1});
}

// Both methods in turns, each with a slack that suits it, and another seed each time.
Cores best_of_metis(const MappingTask& task) {
  constexpr std::array<std::uint32_t, 4> kKwaySlack = {400, 100, 200, 30};
  constexpr std::array<std::uint32_t, 2> kRecursiveSlack = {1, 100};
  Cores best;
  std::uint64_t least = 0;
  for (unsigned run = 0; run < best_of_runs(task.graph.vertices()); ++run) {
    commgraph::SplitOptions options{commgraph::SplitMethod::kRecursive, task.seed + run,
                                    kRecursiveSlack[run / 2 % 2]};
    if (run % 2 == 1)
      options = {commgraph::SplitMethod::kKway, task.seed + run, kKwaySlack[run / 2 % 4]};
    Cores cores = split_and_swap(task, options);
    const std::uint64_t cost = cost_of_mapping(task.graph, task.hierarchy, cores);
    if (run > 0 && cost >= least) continue;
    least = cost;
    best = std::move(cores);
  }
  return best;
}

Cores identity(const MappingTask& task) {
  Cores cores(task.graph.vertices());
  std::iota(cores.begin(), cores.end(), 0U);
  return cores;
}

Cores automatic(const MappingTask& task) {
  return by_huddle(task, commgraph::Engine::kAuto, 1);
}

constexpr bool kNatural = true;
constexpr bool kExact = true;
constexpr std::uint32_t kLarge = 262144;
constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

constexpr std::array kEngines = {
    MappingEngine{"auto", "auto", !kNatural, kExact, 0, automatic},
    MappingEngine{
        "auto-threads", "auto, threads", !kNatural, kExact, kLarge,
        [](const MappingTask& t) { return by_huddle(t, commgraph::Engine::kAuto, t.threads); }},
    MappingEngine{"metis", "metis", !kNatural, kExact, 0,
                  [](const MappingTask& t) { return by_huddle(t, commgraph::Engine::kMetis, 1); }},
    MappingEngine{
        "kl", "kl", !kNatural, kExact, kNever,
        [](const MappingTask& t) { return by_huddle(t, commgraph::Engine::kKernighanLin, 1); }},
    MappingEngine{"recursive", "METIS recursive + swaps", !kNatural, kExact, 0, single_metis},
    MappingEngine{"best-of", "best of K x METIS + swaps", !kNatural, kExact, 0, best_of_metis},
    MappingEngine{
        "scotch", "Scotch", !kNatural, !kExact, 0,
        [](const MappingTask& t) { return scotch_mapping(t.graph, t.hierarchy, t.seed); }},
    MappingEngine{"auto-natural", "auto, natural order", kNatural, kExact, 0, automatic},
    MappingEngine{"identity", "identity, natural order", kNatural, kExact, 0, identity}};

}  // namespace

std::span<const MappingEngine> mapping_engines() {
  return kEngines;
}

const MappingEngine& mapping_engine_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MappingEngine& engine : kEngines) {
    if (engine.name == name) return engine;
    names.push_back(engine.name);
  }
  throw UsageError(fmt::format("there is no engine \"{}\": expected one of {}", shortened(name),
                               fmt::join(names, ", ")));
}

unsigned best_of_runs(std::uint32_t vertices) {
  if (vertices <= 1024) return 80;
  return vertices < kLarge ? 12 : 2;
}

}  // namespace huddle
