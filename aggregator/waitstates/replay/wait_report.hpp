#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/waitstates/energy/measured_power.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"

namespace huddle::waitstates {

/// Why a location waits. The names are those that Scalasca made known; where theirs and ours differ
/// in what is counted, docs/waitstates.md says so.
enum class WaitPattern : std::uint8_t {
  kLateSender,     ///< a receive, or the completion of one, began before the message was sent
  kLateReceiver,   ///< a send, or its completion, could not end before the receive was posted
  kWaitAtBarrier,  ///< until the last one comes to a barrier
  kWaitAtNxN,      ///< the same at a collective where all need something of all
  kLateBroadcast,  ///< until the root comes to an operation that hands out its data
  kEarlyReduce,    ///< the root, until the last one comes to an operation that collects data
  kEarlyScan,      ///< until the last of the lower ranks comes to a scan
  kLatePost,       ///< one-sided: an access epoch, until the last target has posted its window
  kLateComplete,   ///< one-sided: an exposure epoch, until the last origin has completed
  kWaitAtFence,    ///< one-sided: until the last one comes to the fence
  kWaitAtOpenmpBarrier,     ///< a thread, until the last one of its team comes to the barrier
  kLateSenderWhilePolling,  ///< as kLateSender, in tests and probes that return at once
  kLateSenderWrongOrder,    ///< as kLateSender, while another message was there that was received
                            ///< later; such waiting is not kLateSender
  kLockContention,          ///< one-sided: until the one that had the lock of a target released it
  kWaitAtFileAccess,        ///< until the last one comes to a collective access to a file
  kOpenmpLockContention     ///< a thread, until the one that had the lock released it
};
inline constexpr std::size_t kWaitPatterns = 16;

/// For people: "Late Sender".
std::string_view title_of(WaitPattern pattern);
/// For programs: "late_sender".
std::string_view name_of(WaitPattern pattern);

/// A node of the tree of call paths of all locations.
struct CallPath {
  static constexpr std::uint32_t kRoot = UINT32_MAX;  ///< parent of the outermost
  std::uint32_t parent = kRoot;                       ///< an index below its own
  std::string region;
  bool mpi = false;
  /// Where the function begins in the source; empty and 0 if it is not known.
  std::string file = {};
  std::uint32_t line = 0;
};

/// What one location did in one call path, without the paths below it.
struct PathTime {
  std::uint32_t call_path = 0;
  std::uint32_t location = 0;
  std::uint64_t visits = 0;
  std::uint64_t ticks = 0;
  friend bool operator==(const PathTime&, const PathTime&) = default;
};

/// The wait states of one pattern in one call path of one location.
struct PathWaits {
  WaitPattern pattern{};
  std::uint32_t call_path = 0;
  std::uint32_t location = 0;
  std::uint64_t count = 0;
  std::uint64_t ticks = 0;
  std::uint64_t longest = 0;
  WaitEnergy energy;
  friend bool operator==(const PathWaits&, const PathWaits&) = default;
};

/// What a location did in a slice of the run's time.
struct TimelineBin {
  std::uint64_t mpi = 0;     ///< ticks inside MPI, waiting included
  std::uint64_t openmp = 0;  ///< in OpenMP's barriers, waiting included
  std::array<std::uint64_t, kWaitPatterns> waiting{};
  friend bool operator==(const TimelineBin&, const TimelineBin&) = default;
};

/// What the analysis could not do as it should; all 0 for a sound trace.
struct TraceAnomalies {
  std::uint64_t receives_without_send = 0;
  std::uint64_t sends_without_receive = 0;
  std::uint64_t requests_without_end = 0;
  /// Not all members came. Waiting counts only for members all of whose partners came.
  std::uint64_t unfinished_collectives = 0;
  std::uint64_t regions_without_end = 0;
  /// Messages that arrived before they were sent, by the trace's clocks; their receiver's clock was
  /// set forward, and goes back to the trace's bit by bit.
  std::uint64_t clock_violations = 0;
  std::uint64_t largest_clock_violation = 0;  ///< ticks
  friend bool operator==(const TraceAnomalies&, const TraceAnomalies&) = default;
};

struct ReportLocation {
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::string node;
  std::uint64_t begin = 0;  ///< ticks: its first event and its last
  std::uint64_t end = 0;
  std::uint64_t events = 0;
};

/// What an analysis of wait states found. Its lists are complete and sorted by their indices, first
/// named first, so that equal traces give equal reports, whatever the order of the replay.
struct WaitReport {
  std::string trace;
  std::string program;  ///< its file, as far as the trace has it and all ranks ran one; else empty
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t begin = 0;  ///< of the first event
  std::uint64_t end = 0;    ///< of the last
  std::uint64_t events = 0;
  PowerStates power;
  /// Nodes whose measured power is taken in place of the first state's: each thread has an equal
  /// share. By name.
  std::vector<MeasuredNode> measured;
  std::vector<ReportLocation> locations;
  std::vector<CallPath> call_paths;  ///< parents first; siblings by region's name
  std::vector<PathTime> times;       ///< by call path, location
  std::vector<PathWaits> waits;      ///< by pattern, call path, location
  /// [location][bin], bins of equal length from `timeline_begin` on; together they reach to the
  /// trace's end. What is behind it (clocks that were corrected) is in the last one.
  std::vector<std::vector<TimelineBin>> timeline;
  std::uint64_t timeline_begin = 0;
  std::uint64_t timeline_bin = 0;  ///< ticks; 0: no timeline
  TraceAnomalies anomalies;
  std::vector<std::string> remarks;  ///< of the reader
};

/// Indices of the report's locations, by rank, and then by thread.
std::vector<std::uint32_t> by_rank_and_thread(const WaitReport& report);

/// What the analysis could not do as it should, and what the reader of the trace remarks: a
/// sentence each, for people. Empty for a sound trace.
std::vector<std::string> remarks_on(const WaitReport& report);

}  // namespace huddle::waitstates
