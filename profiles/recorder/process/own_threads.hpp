#pragma once

#include <cstdint>

#include "profiles/recorder/process/why_not_moved.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// Binds all threads of this process that are bound to `from` now to `to`, those that they make
/// meanwhile included. If one is bound elsewhere (kBoundItself), or the system refuses or gives
/// less than `to` (kRefused), those that were moved are moved back. kNone if all went well.
WhyNotMoved move_threads(const PuSet& from, const PuSet& to) noexcept;

/// The same, but who is not on `from` is left where it is, and the rest are moved all the same:
/// kBoundItself says that there were such threads.
WhyNotMoved return_threads(const PuSet& from, const PuSet& to) noexcept;

/// The PU that this thread runs on; nothing known: 0.
std::uint32_t current_pu() noexcept;

/// Whether the calling thread has done most of what this process has computed so far.
bool computes_alone() noexcept;

}  // namespace huddle::recorder
