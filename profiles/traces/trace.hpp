#pragma once

// Traces of runs: their definitions, and the events of their locations, whatever format they are
// read from.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiles/traces/event.hpp"

namespace huddle::traces {

/// A function, or another part of the program with a begin and an end.
struct TraceRegion {
  enum class Kind : std::uint8_t {
    kUser,
    kMpi,
    kOpenmpBarrier,  ///< explicit or implicit: threads wait for each other in it
    kOpenmp,         ///< other regions of OpenMP
    kThreadLock,     ///< gets a lock of threads: a critical section, or a function of OpenMP's or
                     ///< of POSIX threads'
  };
  std::string name;
  Kind kind = Kind::kUser;
  /// The source file that it begins in, and the line, from 1 on; empty and 0 if they are not known.
  std::string file = {};
  std::uint32_t line = 0;
};

/// A stream of events: the first thread of a rank, or another one.
struct TraceLocation {
  std::string name;
  std::uint32_t rank = 0;    ///< of the process
  std::uint32_t thread = 0;  ///< 0: the thread that makes the rank's MPI calls
  std::uint64_t events = 0;  ///< as the trace declares; may be wrong
};

struct TraceRank {
  std::string name;
  std::string node;                      ///< empty if the trace does not have it
  std::vector<std::uint32_t> locations;  ///< indices; the first thread is first
};

struct TraceCommunicator {
  std::string name;
  std::vector<std::uint32_t> ranks;   ///< by rank in it; empty for one's self
  std::vector<std::uint32_t> remote;  ///< of an intercommunicator the other side, else empty
  /// Writers only: kFileCollective events name it.
  bool files = false;
};

struct TraceWindow {
  std::string name;
  std::uint32_t communicator = 0;
};

/// What a sensor of a node showed of its power over time. The sensors of a node add up: none of
/// them counts what another one does.
struct TracePower {
  /// From the time of the sample before to `time`; that of the first one holds for no time.
  struct Sample {
    std::uint64_t time = 0;  ///< ticks
    double watts = 0;        ///< mean
    friend bool operator==(const Sample&, const Sample&) = default;
  };
  std::string node;
  std::string sensor;
  std::uint32_t rank = 0;       ///< whose process read it
  std::vector<Sample> samples;  ///< times never fall

  friend bool operator==(const TracePower&, const TracePower&) = default;
};

/// The definitions that a trace's events refer to. No two regions have the same name and kind.
struct TraceDefinitions {
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t duration = 0;  ///< ticks, as the trace declares; 0 if it does not
  std::vector<TraceRegion> regions;
  std::vector<TraceRank> ranks;
  std::vector<TraceLocation> locations;
  std::vector<TraceCommunicator> communicators;
  std::vector<TraceWindow> windows;
  std::vector<std::vector<std::uint32_t>> groups;  ///< of ranks
  std::vector<std::vector<std::uint32_t>> teams;   ///< OpenMP: of locations
  /// The file of the program that all ranks ran, and its GNU build id in hexadecimal; empty if the
  /// trace does not have them, or the ranks ran several programs.
  std::string program = {};
  std::string build_id = {};
  /// What is missing or was guessed, a sentence each; for people.
  std::vector<std::string> remarks;
};

/// The events of one location, from first to last. Regions nest: a kLeave names the innermost
/// region that was entered. (Those that are never left have no kLeave.) Not thread-safe.
class EventStream {
 public:
  virtual ~EventStream() = default;
  /// Fills `into` from its begin and returns how many events that are; 0 at the end. Memory does
  /// not grow with the stream's length. Throws FormatError where the trace is damaged: what was
  /// returned before is valid.
  virtual std::size_t read(std::span<Event> into) = 0;
  /// What was left out or repaired in what was read so far, a sentence for each kind; for people.
  [[nodiscard]] virtual std::vector<std::string> remarks() const = 0;
};

/// A trace that can be read. Not thread-safe.
class Trace {
 public:
  virtual ~Trace() = default;
  [[nodiscard]] virtual const TraceDefinitions& definitions() const = 0;
  /// Of the location with this index. Several streams may be open at once. Throws FormatError.
  virtual std::unique_ptr<EventStream> events_of(std::uint32_t location) = 0;
  /// The power that Huddle's recorder left in it; of other tools' metrics it is not known what adds
  /// up. Reads all of it, up to 10 million samples. Throws FormatError.
  virtual std::vector<TracePower> power() { return {}; }
};

/// Opens an OTF2 archive by its anchor file (traces.otf2), or by the folder that holds exactly one.
/// Reads definitions only. Its treatment of odd traces: docs/formats/reading-traces.md. Throws
/// FormatError (not OTF2, damaged, no locations, no ranks) and SystemError.
std::unique_ptr<Trace> open_otf2(const std::filesystem::path& path);

}  // namespace huddle::traces
