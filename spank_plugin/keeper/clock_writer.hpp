#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiles/keeper/protocol/clock_page.hpp"
#include "spank_plugin/keeper/clock_envelope.hpp"
#include "spank_plugin/keeper/clock_request_arbiter.hpp"
#include "spank_plugin/keeper/monotonic_clock.hpp"

namespace huddle::keeper {

/// Writes what an arbiter decides to the files of an envelope, and reads what became of it. Each
/// call is short, whatever is asked: raises come first, and what is left over is due at once. For
/// one thread.
class ClockWriter {
 public:
  struct Paces {
    /// From a write until the clock is read: hardware may take hundreds of microseconds.
    std::chrono::nanoseconds settling = std::chrono::milliseconds(1);
    /// Between readings of a clock that has ranks. They disturb ranks, so they are few.
    std::chrono::nanoseconds between_readings = std::chrono::seconds(1);
    /// From a write that failed until the next one; twice as long after each that fails as well.
    std::chrono::nanoseconds first_retry = std::chrono::milliseconds(1);
    std::chrono::nanoseconds last_retry = std::chrono::seconds(1);
  };
  struct Counts {
    std::uint64_t writes = 0;
    std::uint64_t failed_writes = 0;
    std::uint64_t readings = 0;
  };

  /// Keeps references to both. Each clock is due for its first decision. Precondition: they have
  /// the same clocks.
  ClockWriter(const ClockEnvelope& envelope, ClockRequestArbiter& arbiter, const Paces& paces);

  /// Something was asked of this clock, or its ranks are others.
  void look_at(std::size_t clock);
  /// Decides and writes what is due; lowers a bounded number of clocks. Returns the clocks that it
  /// looked at, which hold until the next call.
  std::span<const std::size_t> write_due(MonotonicNs now);
  /// Reads one clock, if one is due, and returns it.
  std::optional<std::size_t> read_due(MonotonicNs now);
  /// When there is something to do; may be over.
  [[nodiscard]] MonotonicNs next() const;

  /// Returns the answer to a rank that asks so.
  [[nodiscard]] ClockAnswer answer(std::size_t clock, const ClockAsk& ask, MonotonicNs now) const;
  /// Writes the envelope's most to all clocks, whatever is asked, and tries a few times. Returns
  /// whether all have it.
  bool write_tops();
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct State {
    MonotonicNs due_ns = 0;
    MonotonicNs read_ns = kNever;
    MonotonicNs retry_ns = 0;
    std::uint64_t retry_after_ns = 0;  // above 0: the last write failed
    std::uint32_t written_khz = 0;
    std::uint32_t achieved_khz = 0;
    MonotonicNs changed_ns = 0;
  };

  void write(std::size_t clock, const ClockRequestArbiter::Decision& decision, MonotonicNs now);

  const ClockEnvelope& envelope_;
  ClockRequestArbiter& arbiter_;
  Paces paces_;
  std::vector<State> states_;
  std::vector<std::size_t> looked_at_;
  std::vector<std::size_t> lowerings_;
  std::size_t first_ = 0;
  MonotonicNs may_read_ns_ = 0;
  Counts counts_;
};

}  // namespace huddle::keeper
