#pragma once

// The counters of one process: opened once, read at each phase.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/hardware/counters/event_group.hpp"
#include "profiles/hardware/counters/event_names.hpp"
#include "profiles/hardware/counters/kernel.hpp"
#include "profiles/hardware/counters/reading.hpp"

namespace huddle::counters {

/// Counts events for the calling process: hardware counters by perf_event_open(2), and what the
/// system counts anyway. It counts for all threads that exist when it is opened, except those that
/// another thread makes at that very moment, and all that come later (OpenMP's, for instance); not
/// for processes that the program starts, on Linux 5.13 and later.
///
/// It never stops the program from working: what can't be counted is absent, with a reason.
/// Descriptors are not passed on to other programs; in a child made by fork() a CounterSet must not
/// be used.
///
/// Movable. read() may be called by several threads at once, each with a Reading of its own;
/// everything else by one thread at a time.
class CounterSet {
 public:
  /// Counts nothing.
  CounterSet() = default;

  /// Begins to count the events with the `wanted` names (see find_event()). Counts what the kernel
  /// does on the program's behalf as well where that is permitted. Leaves errno as it was. Throws
  /// std::bad_alloc only.
  static CounterSet open(std::span<const std::string> wanted,
                         const Kernel& kernel = Kernel::real());

  /// The events that are counted, in the order that was asked for: RankRecord::events. At most
  /// kMostEvents.
  [[nodiscard]] const std::vector<std::string>& events() const { return names_; }
  /// The events that were asked for and can't be counted, each with `ranks` = 1.
  [[nodiscard]] const std::vector<AbsentEvent>& absent() const { return absent_; }
  /// Why none of the cores' counters is counting; empty if one is.
  [[nodiscard]] const std::string& hardware_absent_reason() const {
    return hardware_absent_reason_;
  }
  /// True if only what runs in user space is counted by hardware counters, since more is not
  /// permitted.
  [[nodiscard]] bool user_space_only() const { return mode_.user_only; }

  /// Reads the counts since open(). Allocates nothing, leaves errno as it was and is no place where
  /// a thread is cancelled. Costs a system call for each of getrusage and the process's clock, and
  /// two for each group of four events and each thread that existed at open(); threads that came
  /// later and are running on other cores are interrupted to read their counts.
  void read(Reading& reading) const noexcept;

  /// The counts of one or more stretches, in the order of events(), corrected for multiplexing:
  /// value x enabled / running. Times are in ns. An event without a value was on no counter
  /// although it was wanted, or could not be read; never is a 0 given in its place.
  ///
  /// On hybrid machines a thread is on a counter of one kind of cores only: what is missing to the
  /// time that it ran is the sum over the kinds. An event that was asked for on one kind only is
  /// given as it was counted, uncorrected.
  [[nodiscard]] std::vector<std::optional<double>> counts(const Tally& tally) const;


 private:
  friend class Opening;
  struct Counted {
    Source source = Source::kCore;
    ProcessCount count = ProcessCount::kTaskClock;
    /// The same event on the other kinds of cores and here: places in a Reading. Empty if it can't
    /// be corrected.
    std::vector<std::uint32_t> kinds;
  };
  [[nodiscard]] std::optional<double> count(const Tally& tally, std::uint32_t place) const;

  KernelCalls calls_;
  CountingMode mode_;
  std::vector<std::string> names_;
  std::vector<Counted> counted_;
  std::vector<EventGroup> groups_;
  std::vector<AbsentEvent> absent_;
  std::string hardware_absent_reason_ = "no hardware counters were asked for";
  bool wants_usage_ = false;
  bool wants_clock_ = false;
};

}  // namespace huddle::counters
