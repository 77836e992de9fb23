#pragma once

#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"
#include "spank_plugin/charm/cpu_clock.hpp"
#include "spank_plugin/charm/energy_strategy.hpp"

namespace huddle::charm {

/// A user's options for EnergyLB.
struct EnergyOptions {
  EnergySettings settings;
  /// Empty: those of the CPU that PE 0 runs on.
  std::vector<Hertz> clocks;
  ClockGrain grain = ClockGrain::kMachine;
  /// Sensitivity of all chares, see ChareLoad; not looked at where `settings` say that it is
  /// learnt.
  double sensitivity = 1;
};

/// "balancer=greedy,grain=coarse,clocks=1.2GHz/1.8GHz/2.4GHz": keys with values, parted by commas,
/// in any order, each once; "" changes nothing. `source` names the option or variable. Throws
/// UsageError, which says what is allowed, and leaves `options` as they were.
void read_energy_options(std::string_view text, std::string_view source, EnergyOptions& options);

}  // namespace huddle::charm
