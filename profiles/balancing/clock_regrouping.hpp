#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"

namespace huddle::balancing {

/// Who changes places so that like loads have one clock.
struct ClockRegrouping {
  /// The core that each rank goes to. Each core that had a rank has one.
  std::vector<std::uint32_t> core_of;
  /// The number of ranks that change their core.
  std::uint32_t moved = 0;
  /// Sum over the cores of (clock / top)^3, which their power follows, before and afterwards.
  double clocks_before = 0;
  double clocks_after = 0;
};

/// Ranks of one node change places. Rank i with work[i] is on core i; domain_of[i] is that core's
/// clock domain. Where a domain's most loaded core decides its clock (choose_clocks), nothing is
/// better than to sort: the ranks that need the highest clocks together, and so on down. Of the
/// orders in which domains of different sizes can be filled the best of two is taken. As many ranks
/// as possible stay where they are. `length` is what the work of all nodes takes. Throws Error if
/// sizes don't match.
ClockRegrouping regroup_by_load(std::span<const Workload> work,
                                std::span<const std::uint32_t> domain_of, Seconds length,
                                const ClockSteps& steps);

}  // namespace huddle::balancing
