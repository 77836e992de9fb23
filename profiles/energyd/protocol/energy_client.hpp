#pragma once

#include <chrono>
#include <filesystem>

#include "profiles/energyd/protocol/energy_answer.hpp"

namespace huddle {

/// Asks the huddle-energyd of this node, with this process's rights. `patience`: in all. Throws
/// SystemError if nobody listens or answers in time, and FormatError if the answer is none. An
/// answer may be a refusal; the end of the connection is one. Raises no signal.
EnergyAnswer ask_energyd(const EnergyRequest& request,
                         const std::filesystem::path& socket = kEnergySocket,
                         std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace huddle
