#pragma once

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {

/// Binds all threads of this process that are bound to `from` now to `to`, those that they make
/// meanwhile included. Threads that are bound elsewhere stay there, as does one that the system
/// refuses to bind.
void return_threads(const PuSet& from, const PuSet& to) noexcept;

}  // namespace huddle::runtime
