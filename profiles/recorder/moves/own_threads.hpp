#pragma once

#include <cstdint>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// Why the ranks of a run that was to be measured on a second placement were not moved, or not to
/// its end. Ranks agree on it by number, and of several reasons the highest counts.
enum class WhyNotMoved : std::uint32_t {
  kNone,
  kTooShort,     ///< no burst was affordable before the run ended
  kNotTogether,  ///< in no pass were all ranks of a node moved
  kNothingDenser,
  kThreads,
  kBoundItself,
  kRefused,
  kNoTopology,
  kNoSharedMemory,
  kSharedNode,
};

/// The reason in the profile; empty for kNone.
const char* text_of(WhyNotMoved reason) noexcept;

/// Binds all threads of this process that are bound to `from` now to `to`, those that they make
/// meanwhile included. If one is bound elsewhere (kBoundItself), or the system refuses or gives
/// less than `to` (kRefused), those that were moved are moved back. kNone if all went well.
WhyNotMoved move_threads(const PuSet& from, const PuSet& to) noexcept;

/// The same, but threads that are bound elsewhere stay there, and the rest are moved all the same:
/// kBoundItself if there were such threads.
WhyNotMoved return_threads(const PuSet& from, const PuSet& to) noexcept;

/// The PU that this thread runs on; 0 if unknown.
std::uint32_t current_pu() noexcept;

/// Whether the calling thread has done most of what this process has computed so far.
bool computes_alone() noexcept;

}  // namespace huddle::recorder
