#include "profiles/balancing/place_trade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "profiles/balancing/clock_choice.hpp"
#include "profiles/balancing/clock_regrouping.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

/// The places that a rank on one of them may go to.
std::vector<std::vector<std::uint32_t>> exchangeable(std::span<const ClockPlace> places) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t place = 0; place < places.size(); ++place)
    groups[{places[place].numa_node, places[place].pus}].push_back(place);
  std::vector<std::vector<std::uint32_t>> result;
  for (auto& [key, members] : groups) result.push_back(std::move(members));
  return result;
}

/// Sum of (clock / top)^3, where the most loaded rank of a clock decides it: over the ranks, since
/// a clock may be that of places which can't trade.
double clocks_of(std::span<const Workload> work, std::span<const ClockPlace> places,
                 std::span<const std::uint32_t> goes_to, Seconds length, const ClockSteps& steps) {
  std::map<std::uint32_t, Hertz> clocks;
  for (std::size_t rank = 0; rank < work.size(); ++rank) {
    Hertz& clock = clocks[places[goes_to[rank]].clock];
    clock = std::max(clock, least_clock(work[rank], length, steps));
  }
  double sum = 0;
  for (std::size_t rank = 0; rank < work.size(); ++rank) {
    const double share = clocks[places[goes_to[rank]].clock] / steps.most();
    sum += share * share * share;
  }
  return sum;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> worthwhile_trade(std::span<const Workload> work,
                                                           std::span<const ClockPlace> places,
                                                           Seconds length,
                                                           const ClockSteps& steps) {
  if (work.size() != places.size())
    throw Error(
        fmt::format("{} workloads on {} places; expected: as many", work.size(), places.size()));
  for (const Workload& each : work)
    if (each.time.value <= 0) return {};
  std::vector<std::uint32_t> goes_to(work.size());
  std::iota(goes_to.begin(), goes_to.end(), 0U);
  const double before = clocks_of(work, places, goes_to, length, steps);
  for (const std::vector<std::uint32_t>& group : exchangeable(places)) {
    std::vector<Workload> of_group;
    std::vector<std::uint32_t> clocks;
    for (const std::uint32_t place : group) {
      of_group.push_back(work[place]);
      clocks.push_back(places[place].clock);
    }
    const ClockRegrouping regrouping = regroup_by_load(of_group, clocks, length, steps);
    for (std::size_t i = 0; i < group.size(); ++i) goes_to[group[i]] = group[regrouping.core_of[i]];
  }
  const double after = clocks_of(work, places, goes_to, length, steps);
  if (after > (1 - kLeastTradeGain) * before) return {};
  return goes_to;
}

}  // namespace huddle
