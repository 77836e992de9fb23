#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/balance/balance_simulation.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle::balance {

/// A machine document as processors whose clocks can follow loads.
struct BalanceHardware {
  /// A core's power at each clock up to the one that programs run at, with its share of what else
  /// its node draws. While a rank waits its core draws as much as when it computes: MPI polls.
  std::vector<CorePower> power;
  std::uint32_t cores_per_package = 1;
  std::uint32_t cores_per_node = 1;
  /// Where the figures are from, for people.
  std::string origin;
};

/// From the machine's power states, or else its power figures and frequencies (power_states_of()).
/// Throws Error that says what to add if there are no two clocks with known power, and what reading
/// its topology throws.
BalanceHardware balance_hardware(const Machine& machine);

}  // namespace huddle::balance
