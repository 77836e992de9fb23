#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/balance/balance_simulation.hpp"
#include "aggregator/balance/balanced_machine.hpp"
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
};

struct BalanceStudy {
  std::vector<BalanceRow> rows;
  /// Equation 2, of the mean loads of all iterations.
  double imbalance = 1;
  /// The mean load over the longest: what all processors do, of what they could.
  double efficiency = 1;
};

/// Simulates the table as it is; with clocks that follow loads, one for each core (fg), one for
/// each package (cg), and that with ranks that traded places in their node, or among all nodes as a
/// next submission might place them; and with time balancers, alone and with clocks. Rank i is on
/// the i-th core, nodes filled one after the other. A table without objects is distributed as if
/// its work could be divided at will ("even").
BalanceStudy study_balancing(const LoadTable& table, const BalanceHardware& hardware,
                             Seconds besides, const balancing::BalanceSettings& settings);

}  // namespace huddle::balance
