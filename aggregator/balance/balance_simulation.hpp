#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/balance/load_table.hpp"
#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/rank_balancer.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balance {

/// Power of a core at one clock.
struct CorePower {
  Hertz clock;
  Watts computing;
  /// While it waits for other ranks. MPI libraries poll as they wait, which draws nearly as much.
  Watts waiting;
};

/// The processors that a table's loads are run on, all alike.
struct BalancedMachine {
  /// Ascending by clock, one or more. Clocks between two of them draw what lies between.
  std::vector<CorePower> power;
  /// Shares of each object's time at the top clock that follow the clock (Workload::sensitivity);
  /// empty: all of it.
  std::vector<double> sensitivity;
  /// Time of each iteration after the last processor has ended its work: messages.
  Seconds besides;
  /// Time that the transfer of an object, or of a rank to another core, costs all others.
  Seconds migration;

  [[nodiscard]] balancing::ClockSteps steps() const;
};

enum class TimeBalancer : std::uint8_t { kNone, kGreedy, kRefine };
std::string_view name_of(TimeBalancer balancer);

/// A way to deal with an imbalance.
struct BalanceScheme {
  /// True if clocks follow loads.
  bool clocks = false;
  /// The clock domain of each processor, or core; empty: each its own (FG), else CG.
  std::vector<std::uint32_t> domain_of;
  /// Ranks of one node change places so that like loads have one clock. The node of each processor,
  /// if so; else empty.
  std::vector<std::uint32_t> node_of;
  /// Who moves objects: without `clocks` at each balance point (is_balance_point()); with them
  /// where clocks alone can't level the loads out (the published condition), or where a period
  /// becomes shorter by more than `worthwhile`, and by more until the next balance point than the
  /// transfers take: less time saves more than lower clocks do.
  TimeBalancer time_balancer = TimeBalancer::kNone;
  double worthwhile = 0.05;
  balancing::BalanceSettings settings;
};

/// The outcome of a scheme.
struct BalanceOutcome {
  Seconds time;
  Joules energy;
  /// Number of changes of clocks.
  std::uint64_t clock_changes = 0;
  std::uint64_t moved_objects = 0;
  std::uint64_t moved_ranks = 0;
  /// Balance points at which clocks alone could not level the loads out.
  std::uint32_t handed_over = 0;
  /// The first balance point after which no clock changed any more; 0: none ever did.
  std::uint32_t settled_at = 0;
  /// Equation 2, at the first and the last balance point.
  double first_imbalance = 1;
  double last_imbalance = 1;
  balancing::BalanceRest rest = balancing::BalanceRest::kNone;
};

/// The number of iterations that are measured before anything is done for the first time.
std::size_t first_balance_point(std::uint32_t interval);
/// True if loads are looked at when so many iterations have ended: the same for whoever moves work
/// and for clocks, as long as loads stay as they are.
bool is_balance_point(std::size_t iterations, std::uint32_t interval);

/// Runs the table: in each iteration all processors compute, and then wait for the last. Every rank
/// has a RankBalancer, which hears of the others one iteration later, as in a real run, and whose
/// lease the clock's keeper holds it to. Throws Error if sizes don't match.
BalanceOutcome simulate_balancing(const LoadTable& table, const BalancedMachine& machine,
                                  const BalanceScheme& scheme);

}  // namespace huddle::balance
