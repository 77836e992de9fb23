#include "aggregator/planning/detail/sampling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/plan_making.hpp"

namespace huddle {
namespace {

// All cores, if there are ranks for that and as many others; else what leaves a quarter of the
// ranks for another node, as crowded as can be.
Pattern densest(const NodeTopology& node, std::uint32_t ranks, std::uint32_t most_ranks_per_node) {
  Pattern best{1, 1, 1};
  const auto crowd = [](const Pattern& pattern) {
    return std::tuple(pattern.ranks_per_node(), pattern.dies * pattern.cores, pattern.cores);
  };
  const std::uint32_t all = node.packages * node.dies_per_package * node.cores_per_die;
  const std::uint32_t most =
      std::min(ranks >= 2 * all ? all : ranks - ranks / 4, most_ranks_per_node);
  for (const Pattern& pattern : patterns_of(node))
    if (pattern.ranks_per_node() <= most && crowd(pattern) > crowd(best)) best = pattern;
  return best;
}

// The most informative first: every cache shared, as full as can be; half of each cache; every
// cache shared, with half of the memory traffic; then what distinguishes packages and dies. Of each
// row one is taken, the first that there are ranks for.
std::vector<std::vector<Pattern>> wanted(const Pattern& dense) {
  const auto half = [](std::uint32_t number) { return std::max(number / 2, 1U); };
  std::vector<std::vector<Pattern>> rows = {{dense}, {}, {}};
  for (std::uint32_t packages = dense.packages; packages > 0; --packages) {
    for (std::uint32_t dies = dense.dies; dies > 0; --dies)
      rows[1].push_back({packages, dies, half(dense.cores)});
    for (std::uint32_t dies = half(dense.dies); dies > 0; --dies)
      rows[2].push_back({packages, dies, dense.cores});
  }
  const Pattern halved{half(dense.packages), half(dense.dies), half(dense.cores)};
  const Pattern sparse{dense.packages, dense.dies, 1};
  for (const Pattern& pattern : {halved, Pattern{1, 1, dense.cores},
                                 Pattern{1, dense.dies, dense.cores}, sparse, Pattern{1, 1, 1}})
    rows.push_back({pattern});
  return rows;
}

}  // namespace

std::vector<Pattern> sampling_layout(const NodeTopology& node, std::uint32_t ranks,
                                     std::uint32_t most_nodes, std::uint32_t most_ranks_per_node) {
  const Pattern dense = densest(node, ranks, most_ranks_per_node);
  const std::uint32_t fullest = dense.ranks_per_node();
  std::vector<Pattern> nodes;
  std::uint32_t left = ranks;
  // Whether the other ranks find room, on nodes as full as any.
  const auto fits = [&](const Pattern& pattern) {
    const std::uint32_t here = pattern.ranks_per_node();
    return here <= left && nodes.size() + 1 + (left - here + fullest - 1) / fullest <= most_nodes;
  };
  while (left > 0) {
    const std::size_t before = nodes.size();
    for (const std::vector<Pattern>& row : wanted(dense))
      if (const auto found = std::find_if(row.begin(), row.end(), fits); found != row.end()) {
        nodes.push_back(*found);
        left -= found->ranks_per_node();
      }
    if (nodes.size() > before) continue;
    if (nodes.size() == most_nodes) return {};
    nodes.push_back(dense);  // a last node, not full
    left -= std::min(left, fullest);
  }
  const bool one_kind = std::all_of(
      nodes.begin(), nodes.end(), [&](const Pattern& pattern) { return pattern == nodes.front(); });
  if (one_kind) return {};
  return nodes;
}

std::vector<RankPlace> places_on(const std::vector<Pattern>& nodes, const NodeTopology& node,
                                 std::uint32_t ranks) {
  std::vector<RankPlace> places;
  for (std::uint32_t index = 0; index < nodes.size(); ++index)
    for (const PuSet& pus : slots_of(nodes[index], node))
      if (places.size() < ranks) places.push_back({{index}, pus});
  return places;
}

std::optional<Plan> sampling_plan(const Profile& profile, const Machine& machine,
                                  const NodeTopology& node, std::uint32_t most_nodes,
                                  const RankShape& rank) {
  Bytes largest{1};
  for (const RankRecord& record : profile.rank_records)
    largest = std::max(largest, record.peak_resident);
  std::uint64_t room = UINT32_MAX;
  if (machine.node_memory.value != 0)
    room = std::min(room, machine.node_memory.value / largest.value);
  if (room == 0) return std::nullopt;
  const std::vector<Pattern> layout =
      sampling_layout(node, profile.ranks, most_nodes, static_cast<std::uint32_t>(room));
  if (layout.empty()) return std::nullopt;
  Plan plan;
  plan.label = profile.label;
  plan.user = profile.user;
  plan.ranks = profile.ranks;
  plan.placement = places_on(layout, node, profile.ranks);
  plan.node_pus = pus_of(node);
  plan.chosen.pattern = "mixed";
  plan.chosen.nodes = static_cast<std::uint32_t>(layout.size());
  for (const Pattern& pattern : layout)
    plan.chosen.ranks_per_node = std::max(plan.chosen.ranks_per_node, pattern.ranks_per_node());
  const Reference submitted = measured_reference(profile, node);
  plan.reference.pattern = name_on_cores(Pattern::parse(submitted.pattern), rank);
  plan.cores_per_rank = rank.cores;
  plan.reference.nodes = submitted.nodes;
  plan.reference.ranks_per_node = submitted.ranks_per_node;
  std::vector<std::string> names;
  for (const Pattern& pattern : layout)
    if (const std::string name = name_on_cores(pattern, rank);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  plan.reason = fmt::format("measured on {} nodes filled in different ways ({})", layout.size(),
                            fmt::join(names, ", "));
  return plan;
}

}  // namespace huddle
