#include "profiles/balancing/clock_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {

ClockSteps::ClockSteps(std::vector<Hertz> clocks) : ascending_(std::move(clocks)) {
  if (ascending_.empty()) throw Error("no clock that a core can be set to");
  for (const Hertz clock : ascending_)
    if (!(clock.value > 0) || !std::isfinite(clock.value))
      throw Error(fmt::format("a clock of {} Hz; expected: above 0", clock.value));
  std::sort(ascending_.begin(), ascending_.end());
  ascending_.erase(std::unique(ascending_.begin(), ascending_.end()), ascending_.end());
}

Hertz ClockSteps::at_least(Hertz clock) const {
  // A step that was computed, not read, may be a rounding error above the one that is meant.
  const auto found = std::lower_bound(ascending_.begin(), ascending_.end(), clock * (1 - 1e-9));
  return found == ascending_.end() ? most() : *found;
}

}  // namespace huddle::balancing
