#pragma once

// One numbering of regions, groups, communicators and windows for the definitions of all ranks.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/recorder/process/byte_packing.hpp"
#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/trace_writer.hpp"

namespace huddle::recorder {

/// A region of OpenMP by its name for people.
struct PieceRegion {
  std::string name;
  bool is_barrier = false;
};

/// The piece of a rank's trace that rank 0 needs to number its definitions: little, even if its
/// groups are large.
struct TracePiece {
  std::uint32_t rank = 0;
  std::string node;
  std::string program;   ///< its file; empty if unknown
  std::string build_id;  ///< of that; empty if it has none
  std::uint32_t threads = 0;
  std::uint64_t operations = 0;  ///< a hash of their names: all ranks have the same ones
  std::vector<std::string> functions;
  std::vector<PieceRegion> regions;  ///< of OpenMP
  std::vector<std::vector<std::uint32_t>> teams;
  std::vector<std::uint64_t> groups;  ///< a hash of each
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedWindow> windows;
  std::vector<std::string> remarks;
};

/// Leaves out processes of other worlds, which are no ranks of the trace (see known_ranks()).
TracePiece piece_of(const RecordedTrace& trace, const CallPathFunctions& functions);

/// The members of a group that are ranks of this run, in their order.
std::vector<std::uint32_t> known_ranks(const std::vector<std::uint32_t>& group);

/// The numbers that the rank's definitions have in the whole trace, each by the rank's own number.
struct PieceNumbers {
  std::vector<std::uint32_t> functions;  ///< numbers of regions
  std::vector<std::uint32_t> regions;    ///< of OpenMP
  std::vector<std::uint32_t> teams;
  std::vector<std::uint32_t> communicators;
  std::vector<std::uint32_t> windows;
  std::vector<std::uint32_t> groups;
  /// Number of the whole trace's communicators, since teams are numbered behind them. It is known
  /// once all pieces are added, and 0 until then.
  std::uint32_t all_communicators = 0;
};

/// The outcome of writing a rank's events.
struct PieceResult {
  std::string failure;                ///< why they were not written; empty: they were
  std::vector<std::uint64_t> events;  ///< by thread
  bool has_events = false;            ///< any
  /// Nanoseconds of rank 0's clock; of the first and the last event.
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  /// The most that the rank's times may be off, against rank 0's.
  std::uint64_t clock_uncertainty_ns = 0;
  /// Power of its node; times are nanoseconds of rank 0's clock.
  std::vector<RecordedPower> power;
  std::vector<std::string> remarks;
};

template <class Archive>
void visit_members(Archive& archive, PieceRegion& region) {
  archive(region.name, region.is_barrier);
}
template <class Archive>
void visit_members(Archive& archive, TracePiece& piece) {
  archive(piece.rank, piece.node, piece.program, piece.build_id, piece.threads, piece.operations,
          piece.functions, piece.regions, piece.teams, piece.groups, piece.communicators,
          piece.windows, piece.remarks);
}
template <class Archive>
void visit_members(Archive& archive, PieceNumbers& numbers) {
  archive(numbers.functions, numbers.regions, numbers.teams, numbers.communicators, numbers.windows,
          numbers.groups, numbers.all_communicators);
}
template <class Archive>
void visit_members(Archive& archive, PieceResult& result) {
  archive(result.failure, result.events, result.has_events, result.first, result.last,
          result.clock_uncertainty_ns, result.power, result.remarks);
}

/// As a message between ranks, and back. The second throws FormatError naming `origin` if the
/// message is none.
template <class Part>
std::string packed_message(const Part& part) {
  return packed_bytes("huddle trace message 4\n", part);
}
template <class Part>
Part unpacked_message(std::string_view message, std::string_view origin) {
  return unpacked_bytes<Part>("huddle trace message 4\n", message, origin);
}

/// On rank 0: numbers what the ranks of a run define, each thing once, and keeps the definitions of
/// the whole trace. Ranks come one after the other, and each gets its numbers at once. One
/// thread's.
class TraceUnification {
 public:
  /// `operations` are regions of the trace, on all ranks.
  TraceUnification(const std::vector<std::string>& operations, std::uint32_t ranks);

  /// Returns the piece's groups that no other piece had, by index: their ranks are needed. Throws
  /// Error if another version of the recorder made the piece, or it names what it does not define.
  [[nodiscard]] std::vector<std::uint32_t> new_groups(const TracePiece& piece) const;

  /// `ranks_of_new_groups`: in the order of new_groups(), each as known_ranks(). Throws Error.
  PieceNumbers add(const TracePiece& piece,
                   const std::vector<std::vector<std::uint32_t>>& ranks_of_new_groups);

  /// Returns the number of communicators in the pieces so far.
  [[nodiscard]] std::uint32_t communicators() const {
    return static_cast<std::uint32_t>(definitions_.communicators.size());
  }

  /// Adds the result of a rank whose piece was added, once its events are written.
  void add_result(std::uint32_t rank, const PieceResult& result);

  /// Definitions of the whole trace, with remarks of all ranks. Once.
  traces::TraceDefinitions take();
  /// The nodes' power from the first event to the last one. Once.
  std::vector<traces::TracePower> take_power();
  /// Time of the first event, in nanoseconds of rank 0's clock; 0 if there is none.
  [[nodiscard]] std::uint64_t begin() const { return begin_; }

 private:
  void check(const TracePiece& piece) const;
  void add_rank(const TracePiece& piece);
  void number_regions(const TracePiece& piece, PieceNumbers& numbers);
  void number_teams(const TracePiece& piece, PieceNumbers& numbers);
  std::uint32_t number_of(const TracePiece& piece, const RecordedCommunicator& communicator,
                          const std::vector<std::uint32_t>& groups, std::uint32_t& selves);
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(std::uint32_t group,
                                                    const std::vector<std::uint32_t>& groups) const;
  void take_program(const TracePiece& piece);
  void remark(std::uint32_t rank, const std::vector<std::string>& sentences);

  std::uint64_t operations_;
  traces::TraceDefinitions definitions_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  bool timed_ = false;
  std::uint64_t clock_uncertainty_ns_ = 0;
  std::unordered_map<std::string, std::uint32_t> functions_;
  std::unordered_map<std::string, std::uint32_t> regions_;   // of OpenMP
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // by hash
  std::unordered_map<std::uint64_t, std::uint32_t> communicators_;
  std::unordered_map<std::uint64_t, std::uint32_t> windows_;
  std::vector<std::uint32_t> selves_;  // the first communicator of one's self, the second, ...
  std::vector<std::uint32_t> first_location_;  // by rank
  std::vector<traces::TracePower> power_;
  enum class Programs : std::uint8_t { kNone, kOne, kSeveral };
  Programs programs_ = Programs::kNone;
  std::map<std::string, std::vector<std::uint32_t>> remarks_;  // -> ranks
};

}  // namespace huddle::recorder
