#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/formats/machine/machine_words.hpp"

namespace huddle {

/// What a core can be set to. The first state of a table is the one that programs run in.
struct PowerState {
  std::string name;         ///< "1900 MHz"
  double active_w = 0;      ///< A: under load, a core
  double idle_w = 0;        ///< I: with nothing to do
  double transition_s = 0;  ///< tT: into it from the first state and back
  double transition_j = 0;  ///< ET: of both
  double frequency_hz = 0;  ///< of the core's clock; 0 if unknown

  friend bool operator==(const PowerState&, const PowerState&) = default;
};

/// The power states of a machine's cores, each with its share of what else the node draws.
struct CorePowerStates {
  /// Far beyond what processors have; a document can't make an analysis take hours.
  static constexpr std::size_t kMost = 64;

  /// 1 to kMost. The first is the one that programs run in; its transition is 0.
  std::vector<PowerState> states;
  Origin origin = Origin::kAssumed;
  std::string source;  ///< where the figures are from, for people; may be empty

  friend bool operator==(const CorePowerStates&, const CorePowerStates&) = default;
};

}  // namespace huddle
