#pragma once

// Each rank's latest activities, for a pass that goes back through a log and looks back from where
// it is.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// Where an activity met others: by a message, or in a collective in which all wait for all.
struct PastMeeting {
  static constexpr std::uint32_t kCollective = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t on = 0;    ///< the partner's activity; collectives: the instance
  std::uint32_t rank = 0;  ///< the partner's, or kCollective
};

/// What looking back needs of an activity; times in ticks.
struct PastActivity {
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
  std::uint64_t computed = 0;         ///< before it
  std::uint64_t waited = 0;           ///< in it, until what it waited for had begun
  std::uint64_t cause = kNoActivity;  ///< what it waited for
  std::uint32_t before = 0;           ///< call path of the computation before it
  std::uint32_t call_path = 0;
};

/// Copies pieces of a log, and keeps them as long as a pass that goes back through the ranks may
/// look back at them: kReach activities of each rank, or fewer where there are very many ranks,
/// whose pieces are then copied more than once. To look at a rank's past costs no page of the log
/// each time that others were looked at meanwhile. Not thread-safe.
class LookBack {
 public:
  static constexpr std::uint64_t kReach = 1024;
  static constexpr std::uint64_t kPiece = 128;

  /// `log` lives longer than this. `most_bytes`: what the pieces may take, if that is enough for
  /// one of each rank.
  explicit LookBack(const ActivityLog& log, std::size_t most_bytes = 24U << 20U);

  /// An activity of `rank`. Valid until the next call.
  const PastActivity& at(std::uint32_t rank, std::uint64_t activity);
  /// Of the same activity. Valid until the next call for this rank.
  std::span<const PastMeeting> meetings_of(std::uint32_t rank, std::uint64_t activity);

 private:
  struct Piece {
    std::uint64_t first = kNoActivity;  // its first activity
    std::vector<PastActivity> activities;
    std::vector<std::uint32_t> first_meeting;
    std::vector<PastMeeting> meetings;
  };

  Piece& piece_of(std::uint32_t rank, std::uint64_t activity);
  void fill(Piece& piece, std::uint32_t rank, std::uint64_t first) const;
  [[nodiscard]] PastActivity copied(std::uint32_t rank, std::uint64_t activity) const;

  const ActivityLog& log_;
  std::uint64_t slots_ = 1;    // of each rank
  std::vector<Piece> pieces_;  // by rank, slot: a rank's pieces take them in turn
};

}  // namespace huddle::waitstates
