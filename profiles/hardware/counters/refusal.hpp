#pragma once

#include <optional>
#include <string>

#include "profiles/hardware/counters/event_names.hpp"

namespace huddle::counters {

/// The circumstances in which the kernel refused an event.
struct Circumstances {
  /// perf_event_paranoid, if it can be read.
  std::optional<int> paranoid;
  /// True if the machine has counters for the cores at all.
  bool has_core_counters = false;
  /// Only what runs in user space may be counted.
  bool user_only = false;
};

/// Why the kernel counts nothing at all for this process, and what an administrator can do: one
/// line. `error` is what perf_event_open failed with.
std::string reason_for_refusal(int error, const Circumstances& circumstances);

/// Why it does not count this event, though it counts others.
std::string reason_for_absence(int error, const Event& event, const Circumstances& circumstances);

/// Why somebody who may only count in user space can't have an event of the kernel.
std::string reason_for_kernel_event(const Circumstances& circumstances);

}  // namespace huddle::counters
