#include "aggregator/predict/pattern/pattern.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "aggregator/predict/pattern/detail/ceil_div.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pattern_text.hpp"

namespace huddle::predict {
namespace {

[[noreturn]] void bad_pattern(std::string_view text) {
  throw UsageError(fmt::format(
      "\"{}\" is not a pattern: it is packages:dies:cores, each 1 or more, such as 2:1:2 (or 4 or "
      "5 numbers, as huddle recommend names those of deeper nodes)",
      shortened(text)));
}

bool fits(const Pattern& pattern, const commgraph::NodeTopology& node) {
  const Pattern full = full_pattern(node);
  if (pattern.numa_nodes != 0) return is_within(pattern, full);
  return pattern.packages <= full.packages && pattern.dies <= full.dies_per_package() &&
         pattern.cores <= full.cores && pattern.pus <= full.pus;
}

// Innermost first. `with_pus`: even if there is one rank on each core.
std::vector<std::uint32_t> levels_of(const Pattern& pattern, bool with_pus) {
  std::vector<std::uint32_t> levels;
  if (with_pus) levels.push_back(pattern.pus);
  levels.push_back(pattern.cores);
  levels.push_back(pattern.dies);
  if (pattern.numa_nodes > 0) levels.push_back(pattern.numa_nodes);
  levels.push_back(pattern.packages);
  return levels;
}

}  // namespace

std::string Pattern::name() const {
  if (numa_nodes > 0) return fmt::format("{}:{}:{}:{}:{}", packages, numa_nodes, dies, cores, pus);
  if (pus > 1) return fmt::format("{}:{}:{}:{}", packages, dies, cores, pus);
  return fmt::format("{}:{}:{}", packages, dies, cores);
}

Pattern Pattern::parse(std::string_view text) {
  const std::vector<std::uint32_t> counts = pattern_numbers(text);
  if (counts.empty()) bad_pattern(text);
  if (counts.size() == 5) return {counts[0], counts[2], counts[3], counts[4], counts[1]};
  return {counts[0], counts[1], counts[2], counts.size() == 4 ? counts.back() : 1};
}

Pattern full_pattern(const commgraph::NodeTopology& node) {
  return {node.packages, node.dies_per_numa(), node.cores_per_die / node.pus_per_core,
          node.pus_per_core, node.numa_per_package};
}

Pattern holding_both(const Pattern& a, const Pattern& b) {
  return {std::max(a.packages, b.packages), std::max(a.dies, b.dies), std::max(a.cores, b.cores),
          std::max(a.pus, b.pus), std::max(a.numa_nodes, b.numa_nodes)};
}

bool is_within(const Pattern& pattern, const Pattern& other) {
  return holding_both(pattern, other) == other;
}

Pattern on_levels_of(const commgraph::NodeTopology& node, Pattern pattern) {
  const std::uint32_t each = node.dies_per_numa();
  if (node.numa_per_package == 0 || pattern.numa_nodes != 0) return pattern;
  if (pattern.dies > each && pattern.dies % each != 0) return pattern;
  pattern.numa_nodes = ceil_div(pattern.dies, each);
  pattern.dies = std::min(pattern.dies, each);
  return pattern;
}

std::vector<Pattern> patterns_of(const commgraph::NodeTopology& node) {
  const Pattern full = full_pattern(node);
  // Without the level there is one way not to name it.
  const std::uint32_t least_numa = std::min(full.numa_nodes, 1U);
  std::vector<Pattern> patterns;
  for (std::uint32_t packages = 1; packages <= full.packages; ++packages)
    for (std::uint32_t numa = least_numa; numa <= full.numa_nodes; ++numa)
      for (std::uint32_t dies = 1; dies <= full.dies; ++dies)
        for (std::uint32_t cores = 1; cores <= full.cores; ++cores)
          for (std::uint32_t pus = 1; pus <= full.pus; ++pus)
            patterns.push_back({packages, dies, cores, pus, numa});
  return patterns;
}

Pattern widest_pattern(const commgraph::NodeTopology& node, std::uint32_t ranks_per_node) {
  if (ranks_per_node == 0 || ranks_per_node > node.cores.size())
    throw UsageError(fmt::format("{} ranks do not fit on a node that has room for {}",
                                 ranks_per_node, node.cores.size()));
  const Pattern full = full_pattern(node);
  std::uint32_t left = ranks_per_node;
  const auto spread_over = [&](std::uint32_t most) {
    const std::uint32_t used = std::min(most, left);
    left = ceil_div(left, used);
    return used;
  };
  Pattern pattern;
  pattern.packages = spread_over(full.packages);
  if (full.numa_nodes > 0) pattern.numa_nodes = spread_over(full.numa_nodes);
  pattern.dies = spread_over(full.dies);
  pattern.cores = spread_over(full.cores);
  pattern.pus = left;
  return pattern;
}

std::optional<Pattern> layout_by_slurm(const commgraph::NodeTopology& node,
                                       std::uint32_t ranks_per_node) {
  // Slurm counts cores in turns over sockets (block:cyclic), and knows no dies.
  const auto order = [](const Pattern& pattern) {
    return std::tuple(pattern.pus, -static_cast<std::int64_t>(pattern.packages), pattern.numa_nodes,
                      pattern.dies);
  };
  std::optional<Pattern> first;
  for (const Pattern& pattern : patterns_of(node))
    if (pattern.ranks_per_node() == ranks_per_node && (!first || order(pattern) < order(*first)))
      first = pattern;
  return first;
}

bool is_laid_out_by_slurm(const Pattern& pattern, const commgraph::NodeTopology& node,
                          std::uint32_t ranks) {
  return ranks % pattern.ranks_per_node() == 0 &&
         pattern == layout_by_slurm(node, pattern.ranks_per_node());
}

std::vector<PuSet> slots_of(const Pattern& pattern, const commgraph::NodeTopology& node) {
  if (!fits(pattern, node))
    throw UsageError(fmt::format("the pattern {} does not fit on a node of {}", pattern.name(),
                                 full_pattern(node).name()));
  // Dies of NUMA nodes that are used in part do not follow each other.
  const std::uint32_t numa_nodes = std::max(pattern.numa_nodes, 1U);
  std::vector<PuSet> slots;
  for (std::uint32_t package = 0; package < pattern.packages; ++package)
    for (std::uint32_t numa = 0; numa < numa_nodes; ++numa)
      for (std::uint32_t die = 0; die < pattern.dies; ++die)
        for (std::uint32_t core = 0; core < pattern.cores; ++core)
          for (std::uint32_t pu = 0; pu < pattern.pus; ++pu)
            slots.push_back(
                node.core(package, numa * node.dies_per_numa() + die, core * node.pus_per_core + pu)
                    .pus);
  return slots;
}

commgraph::Hierarchy hierarchy_of(const Pattern& pattern, std::uint32_t nodes) {
  std::vector<std::uint32_t> arities = levels_of(pattern, pattern.pus > 1);
  arities.push_back(nodes);
  std::vector<std::uint64_t> distances;
  std::uint64_t distance = 1;
  for (std::size_t level = 0; level < arities.size(); ++level, distance *= 10)
    distances.push_back(distance);
  return {std::move(arities), std::move(distances)};
}

commgraph::Hierarchy part_of(const commgraph::Hierarchy& whole, const Pattern& pattern) {
  constexpr std::size_t kNamedLevels = 4;  // cores, dies, packages and nodes
  const auto arities = whole.arities();
  const bool with_pus = arities.size() > kNamedLevels + (pattern.numa_nodes > 0 ? 1 : 0);
  std::vector<std::uint32_t> part = levels_of(pattern, with_pus);
  bool fits = part.size() + 1 == arities.size();
  for (std::size_t level = 0; fits && level < part.size(); ++level)
    fits = part[level] <= arities[level];
  if (!fits && arities.size() == kNamedLevels)
    throw UsageError(
        fmt::format("there is no pattern {} on nodes of {} packages x {} dies x {} cores",
                    pattern.name(), arities[2], arities[1], arities[0]));
  if (!fits)
    throw UsageError(fmt::format("there is no pattern {} on nodes of {}", pattern.name(),
                                 fmt::join(arities.rbegin() + 1, arities.rend(), ":")));
  part.push_back(arities.back());
  const auto distances = whole.distances();
  return {std::move(part), {distances.begin(), distances.end()}};
}

std::vector<std::uint64_t> distances_of(const Machine& machine) {
  constexpr double kTypicalBytes = 8192;
  std::vector<std::uint64_t> nanoseconds;
  for (const LinkTime& link : machine.links) {
    const double seconds = link.latency.value + kTypicalBytes / link.bandwidth.value;
    nanoseconds.push_back(static_cast<std::uint64_t>(seconds * 1e9) + 1);
  }
  return nanoseconds;
}

}  // namespace huddle::predict
