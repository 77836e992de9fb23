#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"

namespace huddle {

/// A place of a node that a rank is on: PUs that have one clock.
struct ClockPlace {
  /// Names that clock, on this node.
  std::uint32_t clock = 0;
  /// The NUMA node that its memory is on.
  std::uint32_t numa_node = 0;
  /// How many PUs it has.
  std::uint32_t pus = 1;
};

/// The least that a trade must save, as a share of the sum over a node's ranks of (clock / top)^3.
inline constexpr double kLeastTradeGain = 0.05;

/// How the ranks of a node trade places so that like loads have one clock (see regroup_by_load), if
/// that saves kLeastTradeGain at least. work[i] is of the rank that is on places[i] now; the result
/// has for each of them the place that it goes to. Ranks trade within their NUMA node only, since
/// their memory would stay behind, and only with ranks that have as many PUs. `length` is what the
/// longest work of all nodes takes. Nothing if no trade is worth it, or not all work is known yet
/// (a time of 0). Throws Error if sizes don't match.
std::optional<std::vector<std::uint32_t>> worthwhile_trade(std::span<const Workload> work,
                                                           std::span<const ClockPlace> places,
                                                           Seconds length, const ClockSteps& steps);

}  // namespace huddle
