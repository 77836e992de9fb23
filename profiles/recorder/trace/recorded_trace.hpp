#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::recorder {

/// A moment by the rank's clock (TickClock) and by that of rank 0's node.
struct ClockPoint {
  std::uint64_t ticks = 0;
  /// CLOCK_MONOTONIC of rank 0's node.
  std::int64_t nanoseconds = 0;
  /// The most that `nanoseconds` may be off, to either side.
  std::uint64_t uncertainty_ns = 0;

  friend bool operator==(const ClockPoint&, const ClockPoint&) = default;
};

/// One thread's events: a file that EventFile (event_file.hpp) reads. In them
/// - time is in ticks of TickClock and never falls;
/// - subject of kEnter and kLeave is an index in `operations` or, that many further, one in
///   `regions`; their tag is one in `call_paths` (kNoCallPath if none is known);
/// - subject of kTeamBegin and kTeamEnd is an index in `teams`;
/// - subject of the other kinds is an index in `communicators` or `windows`, group one in `groups`;
/// - peer is a rank of MPI_COMM_WORLD.
struct RecordedThread {
  std::filesystem::path file;  ///< absolute; on this rank's node, and elsewhere if it is shared
  /// The size of its whole events; what follows them is ignored.
  std::uint64_t bytes = 0;
  /// For `bytes`, where the run was killed: all that is there, and the last event may be cut.
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

  friend bool operator==(const RecordedThread&, const RecordedThread&) = default;
};

/// Where a call returns to.
struct CallFrame {
  std::uint32_t module = 0;  ///< an index in `modules`
  /// Virtual address in the module's ELF file, as its symbols have it. It follows the call: to
  /// find the function, look up the address before.
  std::uint64_t offset = 0;

  friend bool operator==(const CallFrame&, const CallFrame&) = default;
};

/// A parallel region of OpenMP, or a barrier of its threads.
struct RecordedRegion {
  enum Kind : std::uint8_t { kParallel, kImplicitBarrier, kBarrier };
  std::uint8_t kind = kParallel;  ///< a Kind
  /// Where it is, as a profile has it (OpenMpRegion): "solver+0x12a0".
  std::string place;
  /// The same place, to look up its function.
  CallFrame frame;

  friend bool operator==(const RecordedRegion&, const RecordedRegion&) = default;
};

struct RecordedCommunicator {
  /// The same on all its members, and no other communicator of the run has it.
  std::uint64_t key = 0;
  std::string name;          ///< empty if the library has none
  std::uint32_t group = 0;   ///< an index in `groups`, by rank; or kEverybody, or kNoGroup
  std::uint32_t remote = 0;  ///< of an intercommunicator the other side, else kNoGroup
  bool self = false;         ///< this rank alone
  bool files = false;        ///< its members have opened files
  friend bool operator==(const RecordedCommunicator&, const RecordedCommunicator&) = default;
};
template <class Archive>
void visit_members(Archive& archive, RecordedCommunicator& one) {
  archive(one.key, one.name, one.group, one.remote, one.self, one.files);
}

struct RecordedWindow {
  /// The same on all its members, and no other window of the run has it.
  std::uint64_t key = 0;
  std::uint32_t communicator = 0;  ///< an index in `communicators`

  friend bool operator==(const RecordedWindow&, const RecordedWindow&) = default;
};
template <class Archive>
void visit_members(Archive& archive, RecordedWindow& window) {
  archive(window.key, window.communicator);
}

/// A sensor of the rank's node: what it showed since the sample before, in W. The first sample
/// holds for no time.
struct RecordedPower {
  std::string sensor;
  std::vector<std::uint64_t> ticks;  ///< by sample; never fall
  std::vector<double> watts;         ///< as many

  friend bool operator==(const RecordedPower&, const RecordedPower&) = default;
};
template <class Archive>
void visit_members(Archive& archive, RecordedPower& power) {
  archive(power.sensor, power.ticks, power.watts);
}

/// The record that one rank made of a run. Its files stay until somebody removes `raw_folder`.
struct RecordedTrace {
  static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();
  /// All ranks of the run, in order.
  static constexpr std::uint32_t kEverybody = kNoGroup - 1;
  static constexpr std::uint32_t kNoCallPath = kNoGroup;

  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::string node;
  std::string program;   ///< its file; empty if unknown
  std::string build_id;  ///< of that, in hexadecimal; empty if it has none
  double ticks_per_second = 0;
  /// Its clock held against rank 0's, at the end of MPI_Init and in MPI_Finalize. With two equal
  /// points nothing is known of the end.
  ClockPoint clock_begin;
  ClockPoint clock_end;
  /// The thread that called MPI_Init is first. A location is threads that followed each other.
  std::vector<RecordedThread> threads;
  std::vector<std::string> operations;             ///< "MPI_Send"
  std::vector<std::vector<CallFrame>> call_paths;  ///< innermost first
  std::vector<std::string> modules;                ///< absolute paths, or as the loader has them
  std::vector<RecordedRegion> regions;             ///< of OpenMP
  /// Teams of OpenMP: indices of `threads`, by the thread's number in the team.
  std::vector<std::vector<std::uint32_t>> teams;
  std::vector<std::vector<std::uint32_t>> groups;   ///< ranks; kNobody for other worlds' processes
  std::vector<RecordedCommunicator> communicators;  ///< MPI_COMM_WORLD is first
  std::vector<RecordedWindow> windows;
  /// Power of its node, on one rank of each node; none of the sensors counts what another one does.
  std::vector<RecordedPower> power;
  /// Sentences for people on what is missing or was changed, without the rank's number.
  std::vector<std::string> remarks;
  /// The folder of this run's files: one for all ranks where the file system is shared. It holds
  /// for each rank "<rank>.definitions", this as packed(), and the threads' files.
  std::filesystem::path raw_folder;

  friend bool operator==(const RecordedTrace&, const RecordedTrace&) = default;

  /// As one text, and back, between processes of one run or one machine. The second throws
  /// FormatError naming `origin` if the text is none.
  [[nodiscard]] std::string packed() const;
  static RecordedTrace unpacked(std::string_view text, std::string_view origin);
};

}  // namespace huddle::recorder
