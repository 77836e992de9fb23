#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "profiles/processes/interruption.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Waits so long, or without end. False if Ctrl-C came before that.
inline bool wait_for(const Interruption& interruption, const std::optional<Seconds>& duration) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  while (!interruption.requested()) {
    const double waited = std::chrono::duration<double>(Clock::now() - begin).count();
    if (duration && waited >= duration->value) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace huddle
