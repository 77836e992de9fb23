#pragma once

// The phases of a rank: what lies between two delimiting calls of MPI, with times and counts.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/reading.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/profile/call_sites.hpp"
#include "profiles/recorder/profile/pass_periods.hpp"

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

  /// Readings at the begin and the end of the last pass that was counted.
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

/// The phases of one thread: the computation between one delimiter and the next, distinguished
/// by the places that call the two. That thread calls all members but records() and groups(), which
/// are safe from any thread at any time.
class PhaseTracker {
 public:
  /// The first phase begins at `now`. `counters` may be null, and must outlive this object.
  PhaseTracker(std::uint64_t now, PhaseCounters* counters);

  /// A delimiter begins: to be called first, so that the counters don't see what end_phase() does.
  void stop_counting() noexcept;
  /// A delimiter has begun at `now`, called at `site`: the phase ends. `inside` is the time that
  /// the thread has spent inside MPI so far. Throws std::bad_alloc.
  void end_phase(const CallSite& site, std::uint64_t now, std::uint64_t inside);
  /// The group that the phase which end_phase() ended is counted under, until the delimiter ends.
  [[nodiscard]] std::uint64_t ended_group() const noexcept { return ended_; }
  /// The delimiter has ended, and the next phase begins.
  void begin_phase(std::uint64_t now, std::uint64_t inside) noexcept;

  /// Where the last delimiter was called, as a number: the same for the same place, in this
  /// process.
  [[nodiscard]] std::uint64_t place() const noexcept {
    return reinterpret_cast<std::uintptr_t>(began_at_);  // NOLINT: call sites stay where they are
  }
  CallSites& sites() { return sites_; }
  /// A place that is no call path, by its name.
  static CallSite named_site(const char* name);

  /// Ordered by group. `run` turns ticks into time, `counts_of` what was read into counts.
  [[nodiscard]] std::vector<PhaseRecord> records(
      const Interval& run,
      const std::function<std::vector<double>(const counters::Tally&)>& counts_of) const;
  /// The periods in the passes, if there are any. Throws std::bad_alloc.
  [[nodiscard]] std::vector<PassPeriodRecord> periods() const;
  /// Ordered by id.
  [[nodiscard]] std::vector<PhaseGroup> groups() const;

 private:
  struct Phase {
    const CallSite* begin = nullptr;
    const CallSite* end = nullptr;
    std::uint64_t count = 0;
    double mean = 0;  // ticks
    double squares = 0;
    std::uint64_t shortest = 0;
    std::uint64_t longest = 0;
    std::uint64_t inside = 0;
    std::uint64_t in_delimiter = 0;
    std::uint64_t counted = 0;
    std::uint64_t counted_ticks = 0;
    counters::Tally tally;

    void add(std::uint64_t ticks);
  };
  using Key = std::uint64_t;
  using Phases = std::unordered_map<Key, Phase>;

  Phase& phase_between(const CallSite& begin, const CallSite& end);

  CallSites sites_;
  PhaseCounters* counters_;
  CallSite first_;
  CallSite others_;
  // State of the phase that is under way.
  const CallSite* began_at_ = &first_;
  std::uint64_t began_ = 0;
  std::uint64_t inside_before_ = 0;
  bool counting_ = false;
  bool counted_ = false;
  // State of the delimiter that is under way.
  Key ended_ = 0;
  std::uint64_t delimiter_began_ = 0;

  mutable std::mutex mutex_;  // of what follows
  Phases phases_;
  mutable PassPeriods periods_;
};

}  // namespace huddle::recorder
