#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::traces {

/// Maps the indices in one process's definitions to those of the whole trace. An empty list: the
/// same.
struct TraceNumbers {
  std::vector<std::uint32_t> regions;
  std::vector<std::uint32_t> communicators;
  std::vector<std::uint32_t> windows;
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> teams;
  /// How many communicators the whole trace has.
  std::uint32_t all_communicators = 0;
};

/// Writes the events of some locations of a trace: of all, or of those that this process knows. The
/// trace is whole once each location has been written by some process and one has called
/// write_trace_definitions(). Not thread-safe.
class TracePart {
 public:
  /// `folder` will be the trace's, must exist, and may be shared by any number of processes that
  /// write other locations. `own`: locations, and what their events name; ranks are not looked at.
  /// Its locations' ranks and threads are the trace's, and no two locations share both. Throws
  /// SystemError, Error.
  TracePart(const std::filesystem::path& folder, TraceDefinitions own, TraceNumbers numbers);
  ~TracePart();
  TracePart(const TracePart&) = delete;
  TracePart& operator=(const TracePart&) = delete;

  /// Appends to the location with this index in `own`. Throws Error: times fall, an event names
  /// what is not defined or a rank that is not in the communicator, the disk is full.
  void write(std::uint32_t location, std::span<const Event> events);

  /// Completes the files. Returns how many events each location has, by index. Throws SystemError,
  /// Error.
  std::vector<std::uint64_t> finish();

 private:
  class Files;
  std::unique_ptr<Files> files_;
};

/// An archive's clock.
struct TraceClock {
  /// The first tick of the trace in the times of its events.
  std::uint64_t begin = 0;
  std::uint64_t length = 0;         ///< ticks
  std::uint64_t wall_clock_ns = 0;  ///< of `begin`, since 1970; 0: unknown
};

/// Completes a trace whose locations' events are in `folder`: writes what holds for all, and the
/// nodes' power. Locations' `events` are what TracePart::finish() returned. Throws Error (a rank
/// without location, an index out of range, two locations alike, power of a rank that is not
/// there), SystemError.
void write_trace_definitions(const std::filesystem::path& folder,
                             const TraceDefinitions& definitions, const TraceClock& clock,
                             const std::vector<TracePower>& power = {});

/// Throws Error with what is wrong with definitions that are to be written.
void check_trace_definitions(const TraceDefinitions& definitions);

/// Writes a whole OTF2 archive, which open_otf2() and other tools read. Of each location that was
/// written to, at most 5 MiB are in memory, and a file is open. Not thread-safe. Of a collective
/// only how its members wait is known; the name of the region around it determines the operation,
/// and whether a one-sided operation puts, gets or computes.
class TraceWriter {
 public:
  /// `folder` will hold traces.otf2 and its files; until finish() they are in a hidden one beside
  /// it. Throws SystemError, and Error (the folder exists and is not empty, a rank without
  /// location, an index out of range, two locations that are the same thread of a rank, ...).
  TraceWriter(const std::filesystem::path& folder, TraceDefinitions definitions);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Appends to a location; times must not fall. Throws Error for an event that names what is not
  /// defined, and if the disk is full: then the trace can't be completed any more.
  void write(std::uint32_t location, std::span<const Event> events);

  /// Completes the archive, and is the last call. Without it, nothing is left. Throws SystemError,
  /// Error.
  void finish(const std::vector<TracePower>& power = {});

 private:
  class Archive;
  std::unique_ptr<Archive> archive_;
};

}  // namespace huddle::traces
