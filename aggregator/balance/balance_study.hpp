#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/balance/balance_simulation.hpp"
#include "aggregator/balance/balanced_machine.hpp"
#include "aggregator/balance/load_changes.hpp"
#include "aggregator/balance/load_table.hpp"

namespace huddle::balance {

/// The outcome of one way to deal with an imbalance.
struct BalanceRow {
  /// As programs name it: "none", "fg", "cg", ...
  std::string key;
  /// For people.
  std::string name;
  BalanceOutcome outcome;
  /// Against "none", the run as it is.
  double saved = 0;
  double slowdown = 0;
  /// The number of iterations after which it can do anything, 0 where it does so at once. A table
  /// that has no more says nothing of it.
  std::size_t first_acts_after = 0;
  /// One clock for all cores of a package saves more, perhaps with ranks that trade places:
  /// `outcome` has those clocks, which cores with clocks of their own can have as well.
  bool as_packages = false;
};

struct BalanceStudy {
  std::vector<BalanceRow> rows;
  /// Equation 2, of the mean loads of all iterations.
  double imbalance = 1;
  /// All loads over the longest one of their iteration: what all processors do, of what they could.
  double efficiency = 1;
  LoadChanges changes;
};

/// Simulates the table as it is; with clocks that follow loads, one for each core (fg), one for
/// each package (cg), and that with ranks that traded places in their node, or among all nodes as a
/// next submission might place them; and with time balancers, alone and with clocks. Rank i is on
/// the i-th core, nodes filled one after the other. A table without objects is distributed as if
/// its work could be divided at will ("even").
BalanceStudy study_balancing(const LoadTable& table, const BalanceHardware& hardware,
                             Seconds besides, const balancing::BalanceSettings& settings);

}  // namespace huddle::balance
