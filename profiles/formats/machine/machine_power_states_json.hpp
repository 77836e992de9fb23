#pragma once

// Internal to the reader and writer of machines: brings nlohmann/json.

#include <nlohmann/json.hpp>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine_power_states.hpp"

namespace huddle {

/// Reads `power_states` of a machine document. Throws FormatError.
CorePowerStates read_power_states(const Field& field);

nlohmann::ordered_json encoded(const CorePowerStates& power_states);

}  // namespace huddle
