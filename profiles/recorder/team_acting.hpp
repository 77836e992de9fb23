#pragma once

#include <string>

#include "profiles/vocabulary/environment.hpp"

namespace huddle::recorder {

/// From now on the teams of OpenMP that the calling thread begins are packed, if the environment
/// asks for it (packing_driver.hpp). `why_not`: why they must not be all the same, for people; or
/// empty. For one thread of a process, once. Throws std::bad_alloc.
void act_on_teams(const Environment& environment, const std::string& why_not);

/// The same thread, outside of regions: all threads go back to where they were, for good. What
/// there is to say of it, a sentence for people; empty if nothing was asked for, or all went well.
std::string stop_acting_on_teams();

/// In a child of fork(): nothing is packed there.
void forget_teams() noexcept;

}  // namespace huddle::recorder
