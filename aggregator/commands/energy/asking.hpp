#pragma once

#include <string>

#include "profiles/energyd/protocol/energy_answer.hpp"

namespace huddle {

/// Answer of the huddle-energyd that listens at `socket`. Throws Error that says what to do if
/// there is none, or that says why it refuses.
EnergyAnswer answer_of_energyd(const EnergyRequest& request, const std::string& socket);

}  // namespace huddle
