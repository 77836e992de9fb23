#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/balance/balance_simulation.hpp"
#include "aggregator/balance/load_table.hpp"

namespace huddle::balance {

/// Loads against what was seen of them at the last balance point.
struct LoadChanges {
  /// Share of the iterations behind the first balance point in which the rank that all others wait
  /// for had clearly less to do (by a quarter of its load) before the last one.
  double unforeseen = 0;
  /// Share of time that it would cost if clocks followed what was seen, and stayed so until the
  /// next balance point whatever happens.
  double cost_of_following = 0;

  /// True if most of what ranks wait for comes between balance points.
  [[nodiscard]] bool are_faster_than_looks() const { return unforeseen > 0.5; }
};

/// Compares by balance points `interval` iterations apart. Objects stay where they are at the
/// beginning; all work follows the clock.
LoadChanges changes_between_looks(const LoadTable& table, const BalancedMachine& machine,
                                  std::uint32_t interval);

/// The loads of the processors in an iteration, objects being where they are at the beginning.
std::vector<double> processor_loads(const LoadTable& table, std::size_t iteration);

}  // namespace huddle::balance
