#pragma once

// Turns recorded events into those of a trace: times by one clock, and enters and leaves of the
// program's functions around calls of MPI.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/recorder/trace/trace_unification.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// A rank's ticks in nanoseconds of rank 0's clock: on a straight line between the two moments at
/// which the clocks were compared; before, after, and where there is one moment only, at the
/// clock's own rate. Never falls where ticks don't.
class ClockLine {
 public:
  explicit ClockLine(const RecordedTrace& trace)
      : begin_(trace.clock_begin), end_(trace.clock_end) {
    own_rate_ = 1e9L / static_cast<long double>(trace.ticks_per_second);
    rate_ = own_rate_;
    if (end_.ticks > begin_.ticks && end_.nanoseconds > begin_.nanoseconds)
      rate_ = static_cast<long double>(end_.nanoseconds - begin_.nanoseconds) /
              static_cast<long double>(end_.ticks - begin_.ticks);
    else
      end_ = begin_;
  }

  /// At least 0.
  [[nodiscard]] std::uint64_t nanoseconds(std::uint64_t ticks) const {
    const bool behind = ticks > end_.ticks;
    const ClockPoint& from = behind ? end_ : begin_;
    const long double rate = behind || ticks < begin_.ticks ? own_rate_ : rate_;
    const long double distance = ticks < from.ticks ? -static_cast<long double>(from.ticks - ticks)
                                                    : static_cast<long double>(ticks - from.ticks);
    const long double time = static_cast<long double>(from.nanoseconds) + distance * rate;
    return time <= 0 ? 0 : static_cast<std::uint64_t>(std::llroundl(time));
  }

 private:
  ClockPoint begin_;
  ClockPoint end_;
  long double own_rate_;  // nanoseconds a tick
  long double rate_;
};

/// Converts the events that one thread recorded (see RecordedThread) to those of a trace: with
/// times of rank 0's clock, and with regions for the functions from which MPI was called, or
/// regions of OpenMP were begun. A function is entered right before the first of these in it and
/// left right after the last one: between two only the functions that contain both are known. One
/// thread's.
class RegionEvents {
 public:
  /// The definitions that the events of a rank may name.
  struct Numbers {
    std::uint32_t operations = 0;
    std::uint32_t regions = 0;  ///< of OpenMP
    std::uint32_t teams = 0;
  };

  /// Keeps references. Regions are the operations, followed by the functions, followed by those of
  /// OpenMP.
  RegionEvents(const CallPathFunctions& functions, const Numbers& numbers, const ClockLine& clock);

  /// Appends to `converted` what the recorded events become. Throws Error if an event names an
  /// operation, a region, a team or a path that does not exist.
  void convert(std::span<const traces::Event> recorded, std::vector<traces::Event>& converted);

  /// After the last event: leaves all regions.
  void end(std::vector<traces::Event>& converted);

  /// The number of messages that are left out since the other side is no rank of this run.
  [[nodiscard]] std::uint64_t foreign() const { return foreign_; }
  /// The time of the last event, in nanoseconds.
  [[nodiscard]] std::uint64_t last_time() const { return last_time_; }

 private:
  using Path = std::vector<CallPathFunctions::Step>;

  [[nodiscard]] std::uint32_t region_of(const traces::Event& enter) const;
  void enter(const traces::Event& event, std::vector<traces::Event>& converted);
  void leave(const traces::Event& event, std::vector<traces::Event>& converted);
  void walk_to(const Path& path, std::uint64_t time, std::vector<traces::Event>& converted);
  void add(traces::EventKind kind, std::uint32_t region, std::uint64_t time,
           std::vector<traces::Event>& converted);

  const CallPathFunctions& functions_;
  Numbers numbers_;
  const ClockLine& clock_;
  std::vector<std::uint32_t> calls_;  // of MPI, and regions, that were entered and not left
  Path path_;                         // the functions that were entered and not left
  std::uint64_t last_time_ = 0;
  std::uint64_t foreign_ = 0;
};

/// The treatment of events that are damaged or refer to something undefined.
enum class Unusable : std::uint8_t {
  kRefused,  ///< write_events() throws
  kLeftOut,  ///< with all later ones of the thread; a remark says so
};

/// Writes a rank's recorded events into the trace that `folder` will be, by rank 0's clock and
/// under the numbers of the whole trace. Holds some thousand events in memory, whatever their
/// number. Throws SystemError, Error.
PieceResult write_events(const RecordedTrace& trace, const CallPathFunctions& functions,
                         const PieceNumbers& numbers, const std::filesystem::path& folder,
                         Unusable unusable = Unusable::kRefused);

}  // namespace huddle::recorder
