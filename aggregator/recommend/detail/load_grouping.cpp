#include "aggregator/recommend/detail/load_grouping.hpp"

#include <algorithm>
#include <map>

#include "profiles/balancing/clock_regrouping.hpp"
#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"

namespace huddle::recommend {
namespace {

// The share of the time that the rank needs until nobody waits longer for it.
double share_of_deadline(const std::vector<GroupSlack>& groups) {
  double load = 0;
  double slack = 0;
  for (const GroupSlack& group : groups) {
    load += group.load.value;
    slack += group.slack.value;
  }
  return load + slack > 0 ? load / (load + slack) : 0;
}

}  // namespace

std::optional<LoadGrouping> group_by_load(const std::vector<std::vector<GroupSlack>>& slacks,
                                          const predict::Pattern& pattern,
                                          const std::vector<std::uint32_t>& core_of,
                                          const std::vector<Hertz>& settable) {
  if (pattern.packages < 2) return std::nullopt;
  const balancing::ClockSteps steps(settable);
  std::map<std::uint32_t, std::vector<std::uint32_t>> ranks_of;  // by node
  for (std::uint32_t rank = 0; rank < core_of.size(); ++rank)
    ranks_of[core_of[rank] / pattern.ranks_per_node()].push_back(rank);
  LoadGrouping result{core_of, 0};
  double before = 0;
  double after = 0;
  for (const auto& [node, ranks] : ranks_of) {
    std::vector<balancing::Workload> work;
    std::vector<std::uint32_t> package_of;
    for (const std::uint32_t rank : ranks) {
      work.push_back({{share_of_deadline(slacks[rank])}, 1});
      package_of.push_back(core_of[rank] / pattern.ranks_per_package());
    }
    const balancing::ClockRegrouping grouping =
        balancing::regroup_by_load(work, package_of, {1}, steps);
    before += grouping.clocks_before;
    after += grouping.clocks_after;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      result.core_of[ranks[i]] = core_of[ranks[grouping.core_of[i]]];
  }
  if (!(after < before)) return std::nullopt;
  result.saved = 1 - after / before;
  return result;
}

}  // namespace huddle::recommend
