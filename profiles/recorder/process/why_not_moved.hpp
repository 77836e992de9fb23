#pragma once

#include <cstdint>

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

/// What the profile says; empty for kNone.
const char* text_of(WhyNotMoved reason) noexcept;

}  // namespace huddle::recorder
