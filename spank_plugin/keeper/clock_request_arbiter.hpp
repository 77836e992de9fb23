#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/keeper/protocol/clock_page.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/keeper/monotonic_clock.hpp"

namespace huddle::keeper {

/// Makes of what ranks ask the upper limit of each clock. Each rank that has named a PU of a clock
/// counts there: with what it asks, or, as long as it asks nothing, its ask is out of any range or
/// its lease has ended, with the most of the envelope. The highest counts. A clock without ranks
/// gets the most. A clock is raised at once, and lowered so often only.
///
/// Pure: it knows no file and no time of its own. Whatever is asked, what it decides is within the
/// envelope. For one thread.
class ClockRequestArbiter {
 public:
  struct Clock {
    /// Neither end 0, and not backwards.
    frequency::ClockLimits envelope;
    /// Ascending; empty if any frequency will do.
    std::vector<std::uint32_t> steps_khz;
  };
  using Rank = std::uint64_t;

  struct Decision {
    /// The limit from now on, in kHz.
    std::uint32_t khz = 0;
    /// When to decide anew, though nobody asks; kNever if there is no need.
    MonotonicNs again_ns = kNever;
  };

  ClockRequestArbiter(std::vector<Clock> clocks, std::chrono::nanoseconds between_lowerings);

  [[nodiscard]] std::size_t clocks() const noexcept { return clocks_.size(); }

  /// From now on the rank counts on this clock, without a wish. Precondition: it does not yet.
  void join(std::size_t clock, Rank rank);
  void leave(std::size_t clock, Rank rank);
  [[nodiscard]] bool has_ranks(std::size_t clock) const { return !clocks_[clock].entries.empty(); }
  /// Returns whether that is news. One that has not joined is ignored.
  bool ask(std::size_t clock, Rank rank, const ClockAsk& ask);

  [[nodiscard]] Decision decide(std::size_t clock, MonotonicNs now) const;
  /// The limit was written.
  void note_written(std::size_t clock, std::uint32_t khz, MonotonicNs now);

  /// Returns the verdict on an ask, once the limit is `written_khz` (0: none yet).
  [[nodiscard]] ClockVerdict verdict(std::size_t clock, const ClockAsk& ask,
                                     std::uint32_t written_khz, MonotonicNs now) const;
  /// `khz` moved into the clock's envelope and up onto a step; above the highest step within the
  /// envelope it is the envelope's most, which need be no step.
  [[nodiscard]] std::uint32_t moved(std::size_t clock, std::uint32_t khz) const;

 private:
  struct Entry {
    Rank rank = 0;
    ClockAsk ask;
  };
  struct State {
    Clock clock;
    std::vector<Entry> entries;
    std::uint32_t written_khz = 0;
    MonotonicNs may_lower_ns = 0;
  };

  [[nodiscard]] std::uint32_t wanted(std::size_t clock, const ClockAsk& ask, MonotonicNs now) const;

  std::vector<State> clocks_;
  std::uint64_t between_lowerings_ns_;
};

}  // namespace huddle::keeper
