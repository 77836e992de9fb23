#include "aggregator/planning/detail/samples/sampling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/plan_making.hpp"

namespace huddle::planning {
namespace {

// All cores, if there are ranks for that and as many others; else what leaves a quarter of the
// ranks for another node, as crowded as can be.
predict::Pattern densest(const commgraph::NodeTopology& node, std::uint32_t ranks,
                         std::uint32_t most_ranks_per_node) {
  predict::Pattern best{1, 1, 1};
  const auto crowd = [](const predict::Pattern& pattern) {
    return std::tuple(pattern.ranks_per_node(), pattern.ranks_per_package(),
                      pattern.dies * pattern.ranks_per_die(), pattern.ranks_per_die());
  };
  const std::uint32_t all = predict::full_pattern(node).ranks_per_node();
  const std::uint32_t most =
      std::min(ranks >= 2 * all ? all : ranks - ranks / 4, most_ranks_per_node);
  for (const predict::Pattern& pattern : predict::patterns_of(node))
    if (pattern.ranks_per_node() <= most && crowd(pattern) > crowd(best)) best = pattern;
  return best;
}

// Unlikeness of two ways to share: on each level, how often the number of ranks doubles.
double apart(const predict::Pattern& a, const predict::Pattern& b) {
  return std::log2(predict::times_apart(predict::sharing_of(a), predict::sharing_of(b)));
}

// The worth of a node filled so: what it would tell beyond the patterns that are known, for the
// ranks that it takes. Ranks are few, so small patterns come first; but a pattern of many is known
// better than one of two, so that their number counts by its root.
double worth(const predict::Pattern& pattern, const std::vector<predict::Pattern>& known) {
  double novelty = std::numeric_limits<double>::infinity();
  for (const predict::Pattern& other : known) novelty = std::min(novelty, apart(pattern, other));
  return novelty / std::sqrt(pattern.ranks_per_node());
}

// Where nodes take so few ranks that there is one way to share them: about half of the ranks share
// them so, and the others have a node each, as mostly in the run as submitted. Empty if that is not
// to be had.
std::vector<predict::Pattern> half_alone(const predict::Pattern& dense, std::uint32_t ranks,
                                         std::uint32_t most_nodes) {
  const std::uint32_t on_dense = dense.ranks_per_node();
  const std::uint32_t full = std::max(ranks / (2 * on_dense), 1U);
  if (on_dense < 2 || full * on_dense >= ranks) return {};
  const std::uint32_t alone = ranks - full * on_dense;
  if (full + alone > most_nodes) return {};
  std::vector<predict::Pattern> nodes(full, dense);
  nodes.resize(full + alone, predict::Pattern{1, 1, 1});
  return nodes;
}

}  // namespace

std::vector<predict::Pattern> sampling_layout(const commgraph::NodeTopology& node,
                                              std::uint32_t ranks, std::uint32_t most_nodes,
                                              std::uint32_t most_ranks_per_node) {
  const predict::Pattern dense = densest(node, ranks, most_ranks_per_node);
  const std::uint32_t fullest = dense.ranks_per_node();
  std::vector<predict::Pattern> nodes;
  std::uint32_t left = ranks;
  // Whether the other ranks find room, on nodes as full as any.
  const auto fits = [&](const predict::Pattern& pattern) {
    const std::uint32_t here = pattern.ranks_per_node();
    return here <= left && nodes.size() + 1 + (left - here + fullest - 1) / fullest <= most_nodes;
  };
  const auto take = [&](const predict::Pattern& pattern) {
    nodes.push_back(pattern);
    left -= std::min(left, pattern.ranks_per_node());
  };
  if (most_nodes == 0) return {};
  take(dense);
  std::vector<predict::Pattern> known = {{1, 1, 1},
                                         dense};  // the first is the run as submitted, mostly
  const std::vector<predict::Pattern> all = predict::patterns_of(node);
  const auto most_worth = [&]() -> const predict::Pattern* {
    const predict::Pattern* best = nullptr;
    for (const predict::Pattern& pattern : all)
      if (pattern.ranks_per_node() <= fullest && fits(pattern) && worth(pattern, known) > 0 &&
          (best == nullptr || worth(pattern, known) > worth(*best, known)))
        best = &pattern;
    return best;
  };
  while (const predict::Pattern* const next = most_worth()) {
    take(*next);
    known.push_back(*next);
  }
  // The rest goes to the same patterns once more, the most telling ones first.
  while (left > 0) {
    const auto again = std::find_if(known.begin() + 1, known.end(), fits);
    if (again == known.end() && nodes.size() == most_nodes) return {};
    take(again == known.end() ? dense : *again);  // a last node, not full
    if (again != known.end()) std::rotate(again, again + 1, known.end());
  }
  const bool one_kind =
      std::all_of(nodes.begin(), nodes.end(),
                  [&](const predict::Pattern& pattern) { return pattern == nodes.front(); });
  return one_kind ? half_alone(dense, ranks, most_nodes) : nodes;
}

std::vector<predict::Pattern> even_layout(const commgraph::NodeTopology& node, std::uint32_t ranks,
                                          std::uint32_t most_nodes,
                                          std::uint32_t most_ranks_per_node) {
  const std::uint32_t full = predict::full_pattern(node).ranks_per_node();
  for (std::uint32_t here = std::min({full, most_ranks_per_node, ranks}); here > 1; --here) {
    if (ranks % here != 0) continue;
    if (ranks / here >= most_nodes) return {};
    if (const auto pattern = predict::layout_by_slurm(node, here))
      return std::vector<predict::Pattern>(ranks / here, *pattern);
  }
  return {};
}

std::vector<RankPlace> places_on(std::vector<predict::Pattern>& nodes,
                                 const commgraph::NodeTopology& node,
                                 const std::vector<std::uint32_t>& together,
                                 std::uint32_t most_nodes) {
  std::vector<RankPlace> places;
  std::vector<predict::Pattern> used;
  auto next = together.begin();
  for (std::size_t i = 0; next != together.end() && used.size() < most_nodes; ++i) {
    const bool is_further = i >= nodes.size();
    const predict::Pattern& pattern = is_further ? nodes.front() : nodes[i];
    const std::vector<PuSet> slots = predict::slots_of(pattern, node);
    const NodeIndex index{static_cast<std::uint32_t>(used.size())};
    std::size_t taken = 0;
    for (; next != together.end() && taken + *next <= slots.size(); ++next)
      for (std::uint32_t rank = 0; rank < *next; ++rank) places.push_back({index, slots[taken++]});
    if (taken > 0)
      used.push_back(pattern);
    else if (is_further)
      break;
  }
  nodes = std::move(used);
  return places;
}

namespace {

// The ranks that a node has memory for.
std::uint32_t ranks_with_memory(const Profile& profile, const Machine& machine) {
  if (machine.node_memory.value == 0) return UINT32_MAX;
  Bytes largest{1};
  for (const RankRecord& record : profile.rank_records)
    largest = std::max(largest, record.peak_resident);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(machine.node_memory.value / largest.value, UINT32_MAX));
}

std::string reason_for(const std::vector<predict::Pattern>& nodes, const predict::RankShape& rank,
                       bool shared) {
  std::vector<std::string> names;
  for (const predict::Pattern& pattern : nodes)
    if (const std::string name = predict::name_on_cores(pattern, rank);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return fmt::format("measured on {} node{} filled {} ({})", nodes.size(),
                     nodes.size() == 1 ? "" : "s", shared ? "alike" : "in different ways",
                     fmt::join(names, ", "));
}

}  // namespace

std::optional<SamplingPlan> sampling_plan(const Profile& profile, const Machine& machine,
                                          const commgraph::NodeTopology& node,
                                          const SampleRoom& room, const predict::RankShape& rank,
                                          const std::vector<std::uint32_t>& together) {
  const std::uint32_t most_ranks =
      std::min(room.ranks_per_node, ranks_with_memory(profile, machine));
  if (most_ranks == 0) return std::nullopt;
  const auto layout_for = room.shared ? even_layout : sampling_layout;
  SamplingPlan sample{{}, layout_for(node, profile.ranks, room.nodes, most_ranks)};
  if (sample.nodes.empty()) return std::nullopt;
  Plan& plan = sample.plan;
  plan.placement = places_on(
      sample.nodes, node,
      together.empty() ? std::vector<std::uint32_t>(profile.ranks, 1) : together, room.nodes);
  if (plan.placement.size() < profile.ranks) return std::nullopt;
  plan.label = profile.label;
  plan.user = profile.user;
  plan.ranks = profile.ranks;
  plan.node_pus = recommend::pus_of(node);
  plan.chosen.pattern = room.shared ? predict::name_on_cores(sample.nodes.front(), rank) : "mixed";
  plan.chosen.nodes = static_cast<std::uint32_t>(sample.nodes.size());
  for (const predict::Pattern& pattern : sample.nodes)
    plan.chosen.ranks_per_node = std::max(plan.chosen.ranks_per_node, pattern.ranks_per_node());
  const predict::Reference submitted = predict::measured_reference(profile, node);
  plan.reference.pattern = predict::name_on_cores(predict::Pattern::parse(submitted.pattern), rank);
  plan.cores_per_rank = rank.cores;
  plan.reference.nodes = submitted.nodes;
  plan.reference.ranks_per_node = submitted.ranks_per_node;
  plan.reason = reason_for(sample.nodes, rank, room.shared);
  return sample;
}

}  // namespace huddle::planning
