#include "commgraph/mapping/mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "commgraph/mapping/exact_cost.hpp"
#include "commgraph/mapping/recursive_mapping.hpp"
#include "commgraph/mapping/swap_refinement.hpp"
#include "commgraph/partition/exact_partition.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct NamedEngine {
  Engine engine;
  std::string_view name;
};
constexpr std::array kEngines = {NamedEngine{Engine::kAuto, "auto"},
                                 NamedEngine{Engine::kMetis, "metis"},
                                 NamedEngine{Engine::kIdentity, "identity"}};

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

Candidate identity(const GraphView& graph, const Hierarchy& hierarchy) {
  std::vector<std::uint32_t> core_of(graph.vertices());
  std::iota(core_of.begin(), core_of.end(), 0U);
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
                                        std::uint64_t seed) {
  std::vector<Candidate> found;
  for (std::size_t attempt = 0; attempt < tries(graph); ++attempt) {
    SplitOptions options = kRecipes[attempt % kRecipes.size()];
    options.seed = seed + attempt / kRecipes.size();
    const auto split = [&](const GraphView& part, std::span<const std::uint32_t> sizes) {
      return partition_exactly(part, sizes, options);
    };
    found.push_back(
        candidate_of(graph, hierarchy, map_recursively(graph, hierarchy, split), Engine::kMetis));
  }
  return found;
}

// The first of the cheapest.
Mapping best_of(std::vector<Candidate> candidates) {
  return std::min_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; })
      ->mapping;
}

// Those worth refining, cheapest first: more of them on small graphs.
void keep_best(const GraphView& graph, std::vector<Candidate>& candidates) {
  constexpr std::uint64_t kArcsInAll = std::uint64_t{1} << 19U;
  const auto kept = std::clamp<std::uint64_t>(kArcsInAll / (graph.arcs() + 1), 1, 6);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  if (candidates.size() > kept)
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end());
}

// Each candidate on its own, so that the number of threads changes nothing but the time.
void refine_all(const GraphView& graph, const Hierarchy& hierarchy, unsigned threads,
                std::vector<Candidate>& candidates) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < candidates.size(); i = next++) {
      Candidate& candidate = candidates[i];
      candidate = candidate_of(graph, hierarchy,
                               refine_by_swaps(graph, hierarchy, candidate.mapping.core_of),
                               candidate.mapping.engine);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < std::min<std::size_t>(threads, candidates.size()); ++t)
    others.emplace_back(work);
  work();
}

void check(const CommGraph& graph, const Hierarchy& hierarchy, const MappingOptions& options) {
  if (graph.vertices() > hierarchy.cores())
    throw UsageError(
        fmt::format("{} ranks don't fit on the {} cores of the hierarchy {}: give it "
                    "more nodes",
                    graph.vertices(), hierarchy.cores(), fmt::join(hierarchy.arities(), ":")));
  if (options.threads == 0) throw UsageError("the number of threads is 0: expected at least 1");
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
  const GraphView view = graph.view();
  if (options.engine == Engine::kIdentity) return identity(view, hierarchy).mapping;
  std::vector<Candidate> candidates = metis_candidates(view, hierarchy, options.seed);
  if (options.engine == Engine::kMetis) return best_of(std::move(candidates));
  candidates.insert(candidates.begin(), identity(view, hierarchy));
  keep_best(view, candidates);
  refine_all(view, hierarchy, options.threads, candidates);
  return best_of(std::move(candidates));
}

}  // namespace huddle
