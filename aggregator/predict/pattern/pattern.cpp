#include "aggregator/predict/pattern/pattern.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

[[noreturn]] void bad_pattern(std::string_view text) {
  throw UsageError(fmt::format(
      "\"{}\" is not a pattern: it is packages:dies:cores, each 1 or more, such as 2:1:2",
      shortened(text)));
}

bool fits(const Pattern& pattern, const NodeTopology& node) {
  return pattern.packages <= node.packages && pattern.dies <= node.dies_per_package &&
         pattern.cores <= node.cores_per_die;
}

}  // namespace

std::string Pattern::name() const {
  return fmt::format("{}:{}:{}", packages, dies, cores);
}

Pattern Pattern::parse(std::string_view text) {
  constexpr std::uint32_t kMost = 1U << 10U;
  std::array<std::uint32_t, 3> counts{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ':')) bad_pattern(text);
    const auto [next, failure] = std::from_chars(at, end, counts[i]);
    if (failure != std::errc{} || counts[i] == 0 || counts[i] > kMost) bad_pattern(text);
    at = next;
  }
  if (at != end) bad_pattern(text);
  return {counts[0], counts[1], counts[2]};
}

std::vector<Pattern> patterns_of(const NodeTopology& node) {
  std::vector<Pattern> patterns;
  for (std::uint32_t packages = 1; packages <= node.packages; ++packages)
    for (std::uint32_t dies = 1; dies <= node.dies_per_package; ++dies)
      for (std::uint32_t cores = 1; cores <= node.cores_per_die; ++cores)
        patterns.push_back({packages, dies, cores});
  return patterns;
}

Pattern widest_pattern(const NodeTopology& node, std::uint32_t ranks_per_node) {
  if (ranks_per_node == 0 || ranks_per_node > node.cores.size())
    throw UsageError(fmt::format("{} ranks do not fit on a node that has room for {}",
                                 ranks_per_node, node.cores.size()));
  const std::uint32_t packages = std::min(node.packages, ranks_per_node);
  const std::uint32_t in_package = (ranks_per_node + packages - 1) / packages;
  const std::uint32_t dies = std::min(node.dies_per_package, in_package);
  return {packages, dies, (in_package + dies - 1) / dies};
}

std::vector<PuSet> slots_of(const Pattern& pattern, const NodeTopology& node) {
  if (!fits(pattern, node))
    throw UsageError(fmt::format("the pattern {} does not fit on a node of {}:{}:{}",
                                 pattern.name(), node.packages, node.dies_per_package,
                                 node.cores_per_die));
  std::vector<PuSet> slots;
  for (std::uint32_t package = 0; package < pattern.packages; ++package)
    for (std::uint32_t die = 0; die < pattern.dies; ++die)
      for (std::uint32_t core = 0; core < pattern.cores; ++core)
        slots.push_back(node.core(package, die, core).pus);
  return slots;
}

Hierarchy hierarchy_of(const Pattern& pattern, std::uint32_t nodes) {
  return {{pattern.cores, pattern.dies, pattern.packages, nodes}, {1, 10, 100, 1000}};
}

Hierarchy part_of(const Hierarchy& whole, const Pattern& pattern) {
  const auto arities = whole.arities();
  if (pattern.cores > arities[0] || pattern.dies > arities[1] || pattern.packages > arities[2])
    throw UsageError(
        fmt::format("there is no pattern {} on nodes of {} packages x {} dies x {} cores",
                    pattern.name(), arities[2], arities[1], arities[0]));
  const auto distances = whole.distances();
  return {{pattern.cores, pattern.dies, pattern.packages, arities[3]},
          {distances.begin(), distances.end()}};
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

}  // namespace huddle
