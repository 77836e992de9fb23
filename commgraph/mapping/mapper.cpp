#include "commgraph/mapping/mapper.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "commgraph/mapping/detail/canonical_order.hpp"
#include "commgraph/mapping/detail/hierarchical_mapping.hpp"
#include "commgraph/mapping/objective.hpp"
#include "commgraph/mapping/recursive_mapping.hpp"
#include "commgraph/mapping/swap_refinement.hpp"
#include "commgraph/partition/exact_partition.hpp"
#include "commgraph/partition/kernighan_lin.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

struct NamedEngine {
  Engine engine;
  std::string_view name;
};
constexpr std::array kEngines = {
    NamedEngine{Engine::kAuto, "auto"}, NamedEngine{Engine::kKernighanLin, "kl"},
    NamedEngine{Engine::kMetis, "metis"}, NamedEngine{Engine::kIdentity, "identity"}};

// A candidate with its J.
struct Candidate {
  Mapping mapping;
  ExactCost cost = 0;
};

Candidate candidate_of(const GraphView& graph, const Hierarchy& hierarchy,
                       std::vector<std::uint32_t> core_of, Engine engine) {
  const ExactCost cost = exact_cost(graph, hierarchy, core_of);
  return {{std::move(core_of), engine}, cost};
}

Candidate identity(const GraphView& graph, const Hierarchy& hierarchy,
                   std::span<const NodeShare> shares) {
  std::vector<std::uint32_t> core_of;
  core_of.reserve(graph.vertices());
  for (const NodeShare& share : shares)
    for (std::uint32_t i = 0; i < share.vertices; ++i) core_of.push_back(share.first_core + i);
  return candidate_of(graph, hierarchy, std::move(core_of), Engine::kIdentity);
}

// The ways to ask METIS, the most promising first. On parts of a few vertices k-way finds little
// unless it may stray far from the wanted sizes, and then heeds the seed hardly; no recipe wins
// everywhere.
constexpr std::array kRecipes = {
    SplitOptions{SplitMethod::kKway, 0, 400},      SplitOptions{SplitMethod::kRecursive, 0, 1},
    SplitOptions{SplitMethod::kKway, 0, 100},      SplitOptions{SplitMethod::kKway, 0, 200},
    SplitOptions{SplitMethod::kRecursive, 0, 100}, SplitOptions{SplitMethod::kKway, 0, 30}};

// Small graphs are cheap to try often; fixed by size, not by time, so that results repeat.
std::size_t tries(const GraphView& graph) {
  constexpr std::uint64_t kArcsInAll = std::uint64_t{1} << 18U;
  return std::clamp<std::size_t>(kArcsInAll / (graph.arcs() + 1), 2, 3 * kRecipes.size());
}

std::vector<Candidate> metis_candidates(const GraphView& graph, const Hierarchy& hierarchy,
                                        std::span<const NodeShare> shares,
                                        const MappingOptions& given) {
  std::vector<Candidate> found;
  for (std::size_t attempt = 0; attempt < tries(graph); ++attempt) {
    if (attempt > 0 && given.stop && given.stop()) break;
    SplitOptions options = kRecipes[attempt % kRecipes.size()];
    options.seed = given.seed + attempt / kRecipes.size();
    const auto split = [&](const GraphView& part, std::span<const std::uint32_t> sizes) {
      return partition_exactly(part, sizes, options);
    };
    found.push_back(candidate_of(graph, hierarchy, map_recursively(graph, hierarchy, shares, split),
                                 Engine::kMetis));
  }
  return found;
}

Mapping kernighan_lin(const GraphView& graph, const Hierarchy& hierarchy,
                      std::span<const NodeShare> shares, std::uint64_t seed) {
  const auto split = [&](const GraphView& part, std::span<const std::uint32_t> sizes) {
    return kernighan_lin_partition(part, sizes, seed);
  };
  return {map_recursively(graph, hierarchy, shares, split), Engine::kKernighanLin};
}

// The first of the cheapest.
Mapping best_of(std::vector<Candidate> candidates) {
  return std::min_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; })
      ->mapping;
}

// True if the search level by level is sound: what a level costs outweighs all inside it.
bool grows_fast(const Hierarchy& hierarchy) {
  constexpr std::uint64_t kFast = 4;
  const auto distances = hierarchy.distances();
  for (std::size_t level = 1; level < distances.size(); ++level)
    if (distances[level] / kFast < distances[level - 1]) return false;
  return true;
}

Mapping best_known(const GraphView& graph, const Hierarchy& hierarchy,
                   std::span<const NodeShare> shares, const MappingOptions& options) {
  SearchControl control;
  control.seed = options.seed;
  control.quick = options.quick;
  control.threads = options.threads;
  if (options.stop) control.stop = options.stop;
  if (options.progress) control.progress = options.progress;
  std::vector<std::uint32_t> found = map_hierarchically(graph, hierarchy, shares, control);
  if (!grows_fast(hierarchy) && !control.stop()) {
    control.progress("swapping pairs");
    found = refine_by_swaps(graph, hierarchy, found);
  }
  return best_of({identity(graph, hierarchy, shares),
                  candidate_of(graph, hierarchy, std::move(found), Engine::kAuto)});
}

void check(const CommGraph& graph, const Hierarchy& hierarchy, const MappingOptions& options) {
  if (options.threads == 0) throw UsageError("the number of threads is 0: expected at least 1");
  if (graph.vertices() > hierarchy.cores())
    throw UsageError(
        fmt::format("{} ranks don't fit on the {} cores of the hierarchy {}: give it "
                    "more nodes",
                    graph.vertices(), hierarchy.cores(), fmt::join(hierarchy.arities(), ":")));
}

}  // namespace

std::string_view name_of(Engine engine) {
  return std::find_if(kEngines.begin(), kEngines.end(),
                      [&](const NamedEngine& e) { return e.engine == engine; })
      ->name;
}

Engine engine_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedEngine& e : kEngines) {
    if (e.name == name) return e.engine;
    names.push_back(e.name);
  }
  throw UsageError(fmt::format("there is no mapping engine \"{}\": expected one of {}",
                               shortened(name), fmt::join(names, ", ")));
}

Mapping map_ranks(const CommGraph& graph, const Hierarchy& hierarchy,
                  const MappingOptions& options) {
  check(graph, hierarchy, options);
  const std::vector<NodeShare> shares =
      node_shares(hierarchy, options.node_sizes, graph.vertices());
  const GraphView view = graph.view();
  // With one core a node every mapping is as good.
  if (options.engine == Engine::kIdentity || hierarchy.cores_per_node() == 1)
    return identity(view, hierarchy, shares).mapping;
  Mapping mapping = options.engine == Engine::kMetis
                        ? best_of(metis_candidates(view, hierarchy, shares, options))
                    : options.engine == Engine::kKernighanLin
                        ? kernighan_lin(view, hierarchy, shares, options.seed)
                        : best_known(view, hierarchy, shares, options);
  if (mapping.engine != Engine::kIdentity)
    mapping.core_of = in_canonical_order(hierarchy, mapping.core_of);
  return mapping;
}

}  // namespace huddle::commgraph
