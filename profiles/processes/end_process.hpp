#pragma once

#include <chrono>

#include "profiles/processes/process_identity.hpp"

namespace huddle::processes {

/// Kills that process, also a stopped one, and waits until it is gone, at most `patience`. Nothing
/// happens to another one that has its number now. True if there is no such process (any more).
bool end_process(const ProcessIdentity& process,
                 std::chrono::milliseconds patience = std::chrono::milliseconds(200));

}  // namespace huddle::processes
