#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/recorder/trace/trace_piece.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::recorder {

/// On rank 0: numbers what the ranks of a run define, each thing once, and keeps the definitions of
/// the whole trace. Ranks come one after the other, and each gets its numbers at once. One
/// thread's.
class TraceUnification {
 public:
  /// `operations` are regions of the trace, on all ranks.
  TraceUnification(const std::vector<std::string>& operations, std::uint32_t ranks);

  /// The groups of which nobody has told the ranks yet. Throws Error if the piece is of another
  /// recorder, or names what it does not hold.
  [[nodiscard]] GroupWishes wishes(const TracePiece& piece) const;

  /// `lists`: what was wished for. Throws Error.
  PieceNumbers add(const TracePiece& piece, const GroupLists& lists);

  /// Of a rank whose piece was added, once its events are written.
  void add_result(std::uint32_t rank, const PieceResult& result);

  /// Definitions of the whole trace, with remarks of all ranks. Once.
  TraceDefinitions take();
  /// Of the first event, in nanoseconds of rank 0's clock; 0 if there is none.
  [[nodiscard]] std::uint64_t begin() const { return begin_; }

 private:
  void check(const TracePiece& piece) const;
  void add_rank(const TracePiece& piece);
  std::uint32_t number_of(const TracePiece& piece, const RecordedCommunicator& communicator,
                          const std::vector<std::uint32_t>& groups, std::uint32_t& selves);
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(std::uint32_t group,
                                                    const std::vector<std::uint32_t>& groups) const;
  void remark(std::uint32_t rank, const std::vector<std::string>& sentences);

  std::uint64_t operations_;
  TraceDefinitions definitions_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  bool timed_ = false;
  std::uint64_t clock_uncertainty_ns_ = 0;
  std::unordered_map<std::string, std::uint32_t> functions_;
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // by hash
  std::unordered_map<std::uint64_t, std::uint32_t> communicators_;
  std::unordered_map<std::uint64_t, std::uint32_t> windows_;
  std::vector<std::uint32_t> selves_;  // the first communicator of one's self, the second, ...
  std::vector<std::uint32_t> first_location_;                  // by rank
  std::map<std::string, std::vector<std::uint32_t>> remarks_;  // -> ranks
};

}  // namespace huddle::recorder
