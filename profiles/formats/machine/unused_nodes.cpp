#include "profiles/formats/machine/unused_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace huddle {
namespace {

bool is_in(const UnusedGroup& group, std::string_view partition) {
  return std::ranges::find(group.partitions, partition) != group.partitions.end();
}

void add(std::vector<FateShare>& fates, const UnusedNode& node, double nodes) {
  const auto same =
      std::ranges::find_if(fates, [&](const FateShare& share) { return share.node == node; });
  if (same != fates.end())
    same->share += nodes;
  else
    fates.push_back({node, nodes});
}

std::string text_of(const UnusedNode& node) {
  switch (node.fate) {
    case NodeFate::kUsed:
      return "other jobs use them";
    case NodeFate::kIdles:
      return "they stay on with nothing to do";
    case NodeFate::kSleeps:
      break;
  }
  return node.sleeps_after > Seconds{0}
             ? fmt::format("they sleep after {:g} s", node.sleeps_after.value)
             : std::string("they sleep at once");
}

}  // namespace

std::string text_of(const std::vector<FateShare>& fates) {
  if (fates.size() == 1) return text_of(fates.front().node);
  std::vector<std::string> parts;
  for (const FateShare& fate : fates)
    parts.push_back(fmt::format("of {:.0f} % {}", 100 * fate.share, text_of(fate.node)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<NodeFate> node_fate_of(std::string_view name) {
  const auto* const found = std::ranges::find(kNodeFateNames, name);
  if (found == kNodeFateNames.end()) return std::nullopt;
  return static_cast<NodeFate>(found - kNodeFateNames.begin());
}

std::vector<FateShare> fates_of(const std::optional<UnusedNodes>& unused, std::uint32_t nodes,
                                std::string_view partition) {
  if (!unused) return {{}};
  const auto in_it = [&](const UnusedGroup& group) { return is_in(group, partition); };
  const bool is_named = std::ranges::any_of(unused->groups, in_it);
  std::vector<FateShare> fates;
  double in_groups = 0;
  for (const UnusedGroup& group : unused->groups) {
    if (is_named && !in_it(group)) continue;
    add(fates, group, group.nodes);
    in_groups += group.nodes;
  }
  double all = in_groups;
  if (!is_named && (in_groups == 0 || nodes > in_groups)) {
    all = std::max<double>(nodes, in_groups + (in_groups == 0 ? 1 : 0));
    add(fates, *unused, all - in_groups);
  }
  for (FateShare& fate : fates) fate.share /= all;
  return fates;
}

bool are_used_by_others(const std::vector<FateShare>& fates) {
  return std::ranges::all_of(
      fates, [](const FateShare& share) { return share.node.fate == NodeFate::kUsed; });
}

}  // namespace huddle
