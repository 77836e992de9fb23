#pragma once

// The counts of the process's counters in passes of OpenMP's regions.

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/reading.hpp"
#include "profiles/recorder/process/clocks.hpp"

namespace huddle::recorder {

/// The passes of one region during which the counters were read. Each of them counts in `ticks`
/// and `tally` as often as it stands for passes.
struct RegionCounts {
  std::uint64_t passes = 0;
  std::uint64_t weight = 0;  // how many passes they stand for
  std::uint64_t ticks = 0;   // what they took
  counters::Tally tally;

  void add(const RegionCounts& other) noexcept {
    passes += other.passes;
    weight += other.weight;
    ticks += other.ticks;
    tally.add(other.tally);
  }
};

/// Reads the counters at both ends of passes that were drawn (ReadingDraw), for the thread whose
/// phases are the rank's. They count for all threads of the process, so that one reading has those
/// of the whole team. About one in kShare ticks is spent on reading at most, whatever was drawn:
/// what was not spent is saved for a while. More, where a part of the readings takes many times as
/// long as the others, since each counts for kJump usual ones at most. One thread's.
class RegionCounters {
 public:
  static constexpr std::uint64_t kShare = 256;
  /// The counts by the region's function.
  using Pending = std::unordered_map<std::uintptr_t, RegionCounts>;

  /// `set` must outlive this object.
  explicit RegionCounters(const counters::CounterSet& set) : set_(set), last_(TickClock::now()) {}

  /// A pass that was drawn is about to begin at `now`, in ticks: whether the counters were read,
  /// for which there may be nothing left.
  bool begin_pass(std::uint64_t now) noexcept {
    saved_ =
        std::min(saved_ + static_cast<std::int64_t>((now - last_) / kShare), kPassesSaved * cost_);
    last_ = now;
    if (saved_ < cost_) return false;
    set_.read(begin_);
    begin_cost_ = static_cast<std::int64_t>(TickClock::now() - now);
    return true;
  }
  /// The time that begin_pass() took.
  [[nodiscard]] std::uint64_t begin_cost() const { return static_cast<std::uint64_t>(begin_cost_); }

  /// The pass has ended. Only after begin_pass() returned true.
  void end_pass() noexcept {
    const std::uint64_t now = TickClock::now();
    set_.read(end_);
    // A thread that lost its core meanwhile did not read for all of that time: what a reading costs
    // is found step by step.
    const std::int64_t cost =
        std::min(begin_cost_ + static_cast<std::int64_t>(TickClock::now() - now), kJump * cost_);
    saved_ -= cost;
    cost_ = std::max<std::int64_t>(cost_ + (cost - cost_) / 8, 1);
  }
  /// The usual cost of reading at both ends.
  [[nodiscard]] std::uint64_t cost() const { return static_cast<std::uint64_t>(cost_); }

  /// The last pass was one of the region with this function, took `ticks` and stands for `weight`
  /// passes. Throws std::bad_alloc.
  void keep(std::uintptr_t function, std::uint64_t ticks, std::uint64_t weight) {
    RegionCounts& counts = pending_[function];
    ++counts.passes;
    counts.weight += weight;
    counts.ticks += ticks * weight;
    counts.tally.add(begin_, end_, weight);
  }

  /// The passes that were kept since clear().
  [[nodiscard]] const Pending& pending() const { return pending_; }
  void clear() noexcept { pending_.clear(); }

 private:
  static constexpr std::int64_t kPassesSaved = 256;
  static constexpr std::int64_t kJump = 4;

  const counters::CounterSet& set_;
  std::uint64_t last_;
  std::int64_t cost_ = 20'000;  // ticks, both ends; soon known better
  std::int64_t saved_ = kPassesSaved * cost_;
  std::int64_t begin_cost_ = 0;
  counters::Reading begin_;
  counters::Reading end_;
  Pending pending_;
};

}  // namespace huddle::recorder
