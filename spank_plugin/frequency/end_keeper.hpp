#pragma once

#include "profiles/processes/process_identity.hpp"

namespace huddle {

/// Kills the keeper of a claim, and waits until it is gone, at most 200 ms: what it writes must not
/// come after what somebody else puts back. True if there is no such process (any more). To be used
/// by root.
bool end_keeper(const ProcessIdentity& keeper);

}  // namespace huddle
