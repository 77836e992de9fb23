#pragma once

#include <algorithm>
#include <cstdint>

#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/reading.hpp"
#include "profiles/recorder/process/tick_clock.hpp"

namespace huddle::recorder {

/// Reads the counters at both ends of a phase's pass, as often as that costs next to nothing:
/// reading takes system calls, and a program may go through a phase in the time of one. At most one
/// in kShare ticks is spent on reading; what was not spent is saved for a while. One thread's.
class PhaseCounters {
 public:
  static constexpr std::uint64_t kShare = 256;

  /// `set` must outlive this object.
  explicit PhaseCounters(const counters::CounterSet& set) : set_(set), last_(TickClock::now()) {}

  /// A pass begins at `now`, in ticks: whether it is counted.
  bool begin_pass(std::uint64_t now) noexcept {
    saved_ += static_cast<std::int64_t>((now - last_) / kShare);
    saved_ = std::min(saved_, kPassesSaved * cost_);
    last_ = now;
    if (saved_ < cost_ || passed_over()) return false;
    set_.read(begin_);
    read_cost_ = TickClock::now() - now;
    return true;
  }

  /// The pass ends. Only after begin_pass() returned true.
  void end_pass() noexcept {
    const std::uint64_t now = TickClock::now();
    set_.read(end_);
    read_cost_ += TickClock::now() - now;
    saved_ -= static_cast<std::int64_t>(read_cost_);
    // Follows the cost slowly: a reading that was interrupted must not count for long.
    cost_ += (static_cast<std::int64_t>(read_cost_) - cost_) / 8;
    cost_ = std::max<std::int64_t>(cost_, 1);
  }

  /// Of the last pass that was counted.
  [[nodiscard]] const counters::Reading& begin() const { return begin_; }
  [[nodiscard]] const counters::Reading& end() const { return end_; }

 private:
  static constexpr std::int64_t kPassesSaved = 256;

  // Where not all passes can be counted, the budget is full again after a long phase rather than
  // after a short one. Passing over every other chance at random gives each phase its share.
  bool passed_over() {
    if (saved_ > kPassesSaved / 2 * cost_) return false;
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 17U;
    random_ ^= random_ << 5U;
    return (random_ & 1U) != 0;
  }

  const counters::CounterSet& set_;
  std::uint64_t last_;
  std::int64_t cost_ = 20'000;  // ticks, both ends; soon known better
  std::int64_t saved_ = kPassesSaved * cost_;
  std::uint64_t read_cost_ = 0;
  std::uint32_t random_ = 2463534242U;
  counters::Reading begin_;
  counters::Reading end_;
};

}  // namespace huddle::recorder
