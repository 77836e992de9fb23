#pragma once

// Pauses of a rank that waits for another one where more ranks run than there are cores.

#include <time.h>

#include <algorithm>

namespace huddle::recorder {

/// The pauses of a loop that looks whether something has come. The first looks follow each other at
/// once, so that what comes soon is not late; from then on the core is left to others, for longer
/// and longer, at most a fifth of a millisecond: whoever is waited for may need it. One loop's.
class GrowingPauses {
 public:
  /// Between two looks.
  void pause() noexcept {
    if (looks_ < kLooksAtOnce) {
      ++looks_;
      return;
    }
    const timespec time{0, pause_ns_};
    ::nanosleep(&time, nullptr);
    pause_ns_ = std::min(2 * pause_ns_, kLongest);
  }

 private:
  static constexpr int kLooksAtOnce = 200;  // some tens of microseconds
  static constexpr long kLongest = 200'000;
  int looks_ = 0;
  long pause_ns_ = 10'000;
};

}  // namespace huddle::recorder
