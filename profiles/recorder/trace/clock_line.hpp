#pragma once

#include <cmath>
#include <cstdint>

#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// A rank's ticks in nanoseconds of rank 0's clock: on a straight line between the two moments at
/// which the clocks were compared; before, after, and where there is one moment only, at the
/// clock's own rate. Never falls where ticks don't.
class ClockLine {
 public:
  explicit ClockLine(const RecordedTrace& trace)
      : begin_(trace.clock_begin), end_(trace.clock_end) {
    own_rate_ = 1e9L / static_cast<long double>(trace.ticks_per_second);
    rate_ = own_rate_;
    if (end_.ticks > begin_.ticks && end_.nanoseconds > begin_.nanoseconds)
      rate_ = static_cast<long double>(end_.nanoseconds - begin_.nanoseconds) /
              static_cast<long double>(end_.ticks - begin_.ticks);
    else
      end_ = begin_;
  }

  /// At least 0.
  [[nodiscard]] std::uint64_t nanoseconds(std::uint64_t ticks) const {
    const bool behind = ticks > end_.ticks;
    const ClockPoint& from = behind ? end_ : begin_;
    const long double rate = behind || ticks < begin_.ticks ? own_rate_ : rate_;
    const long double distance = ticks < from.ticks ? -static_cast<long double>(from.ticks - ticks)
                                                    : static_cast<long double>(ticks - from.ticks);
    const long double time = static_cast<long double>(from.nanoseconds) + distance * rate;
    return time <= 0 ? 0 : static_cast<std::uint64_t>(std::llroundl(time));
  }

 private:
  ClockPoint begin_;
  ClockPoint end_;
  long double own_rate_;  // nanoseconds a tick
  long double rate_;
};

}  // namespace huddle::recorder
