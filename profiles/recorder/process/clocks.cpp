#include "profiles/recorder/process/clocks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace huddle::recorder {

namespace {

// Linux takes the counter as its clock only while it runs at one rate, in step on all processors.
constexpr const char* kKernelsClock =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource";

}  // namespace

void TickClock::choose() {
  const int file = ::open(kKernelsClock, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 16> name{};
  const ssize_t length = ::read(file, name.data(), name.size());
  ::close(file);
  counter_is_steady_ =
      length > 0 && std::string_view(name.data(), static_cast<std::size_t>(length)) == "tsc\n";
}

Interval::Interval(Moment begin, Moment end) {
  if (end.nanoseconds <= begin.nanoseconds || end.ticks <= begin.ticks) return;
  length_.value = static_cast<double>(end.nanoseconds - begin.nanoseconds) * 1e-9;
  seconds_per_tick_ = length_.value / static_cast<double>(end.ticks - begin.ticks);
}

Seconds Interval::lasted(std::uint64_t ticks) const {
  return {static_cast<double>(ticks) * seconds_per_tick_};
}

}  // namespace huddle::recorder
