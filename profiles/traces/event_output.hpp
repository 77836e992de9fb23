#pragma once

// Internal to the reader of traces.

#include <cstddef>
#include <span>
#include <vector>

#include "profiles/traces/event.hpp"

namespace huddle::otf2 {

/// Where events go: to the caller's place, and what does not fit there waits for the next call.
/// (One record of a trace can be several events.)
class EventOutput {
 public:
  /// Begins a call: `into` gets what waits.
  void begin(std::span<Event> into) {
    into_ = into;
    filled_ = 0;
    while (filled_ < into_.size() && taken_ < waiting_.size())
      into_[filled_++] = waiting_[taken_++];
    if (taken_ < waiting_.size()) return;
    waiting_.clear();
    taken_ = 0;
  }
  void put(const Event& event) {
    if (filled_ < into_.size())
      into_[filled_++] = event;
    else
      waiting_.push_back(event);
  }
  [[nodiscard]] bool full() const { return filled_ == into_.size(); }
  [[nodiscard]] std::size_t filled() const { return filled_; }

 private:
  std::span<Event> into_;
  std::size_t filled_ = 0;
  std::vector<Event> waiting_;
  std::size_t taken_ = 0;  // of waiting_
};

}  // namespace huddle::otf2
