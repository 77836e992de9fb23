#pragma once

#include <cstdint>

namespace huddle::counters {

/// The kernel's code of an event: the fields of perf_event_attr with the same names.
struct EventCode {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;

  friend bool operator==(const EventCode&, const EventCode&) = default;
};

}  // namespace huddle::counters
