#pragma once

#include <algorithm>
#include <chrono>

namespace huddle::energyd {

/// Pauses between looks at steps. How long a look takes, and how often something changes, is up to
/// the users of the node: so looks take half of the time at most, in which nobody is answered, and
/// a fifth of a processor.
class LookPauses {
 public:
  using Clock = std::chrono::steady_clock;

  /// A look ended at `end` that took so long, and so much of a processor's time.
  void add(Clock::time_point end, Clock::duration took, Clock::duration worked) {
    until_ = end + std::max(took, 4 * worked);
  }
  [[nodiscard]] Clock::time_point until() const { return until_; }

 private:
  Clock::time_point until_;
};

}  // namespace huddle::energyd
