#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiles/recorder/trace/call_path_functions.hpp"
#include "profiles/recorder/trace/clock_line.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// Makes the events of a trace of those that one thread recorded (see RecordedThread): times by
/// rank 0's clock, and around the calls of MPI the functions that they were called in. A function
/// is entered right before the first call of MPI in it, and left right after the last one: of what
/// happens between two calls only what both of them are in is known. One thread's.
class RegionEvents {
 public:
  /// Keeps references. Regions are the operations, and behind them the functions.
  RegionEvents(const CallPathFunctions& functions, std::uint32_t operations,
               const ClockLine& clock);

  /// Appends to `told` what `recorded` becomes. Throws Error if an event names an operation or a
  /// path that there is not.
  void tell(std::span<const Event> recorded, std::vector<Event>& told);

  /// Behind the last event: leaves what was entered.
  void end(std::vector<Event>& told);

  /// Messages that are left out, since the other side is no rank of this run.
  [[nodiscard]] std::uint64_t foreign() const { return foreign_; }
  /// Of the last event, in nanoseconds.
  [[nodiscard]] std::uint64_t last_time() const { return last_time_; }

 private:
  using Path = std::vector<CallPathFunctions::Step>;

  void enter(const Event& event, std::vector<Event>& told);
  void leave(const Event& event, std::vector<Event>& told);
  void walk_to(const Path& path, std::uint64_t time, std::vector<Event>& told);
  void add(EventKind kind, std::uint32_t region, std::uint64_t time, std::vector<Event>& told);

  const CallPathFunctions& functions_;
  std::uint32_t operations_;
  const ClockLine& clock_;
  std::vector<std::uint32_t> calls_;  // of MPI, that were entered and not left
  Path path_;                         // the functions that were entered and not left
  std::uint64_t last_time_ = 0;
  std::uint64_t foreign_ = 0;
};

}  // namespace huddle::recorder
