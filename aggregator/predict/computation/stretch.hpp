#pragma once

namespace huddle {

/// How many times longer computation takes at another frequency than at the nominal one.
struct Stretch {
  double mean = 1;
  /// Standard deviation of what is not known about it.
  double deviation = 0;
};

}  // namespace huddle
