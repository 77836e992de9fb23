#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// What a rank computed in a call path, and by how much that could take longer. Ticks.
struct PathSlack {
  std::uint32_t call_path = 0;  ///< of the report, or CallPath::kRoot
  std::uint32_t rank = 0;
  std::uint64_t computation = 0;
  /// Of that, the intervals that can't grow at all without making the run longer.
  std::uint64_t critical = 0;
  /// By how much one interval alone could grow at most. Intervals share it with those before and
  /// behind, so that it must not be added up.
  std::uint64_t largest_total = 0;
  /// By how much all intervals, those of all ranks and call paths at once, may grow in sum, each
  /// by its own part, without making the run longer.
  std::uint64_t apportioned = 0;
  friend bool operator==(const PathSlack&, const PathSlack&) = default;
};

/// By how much the whole computation of a rank may be stretched, as a lower frequency does it.
struct RankSlack {
  std::uint64_t computation = 0;  ///< ticks
  /// At least 1: what all its computation may be multiplied with, while the other ranks' are
  /// multiplied with theirs.
  double stretch = 1;
  friend bool operator==(const RankSlack&, const RankSlack&) = default;
};

struct SlackReport {
  std::vector<PathSlack> call_paths;  ///< by call path, rank
  std::vector<RankSlack> ranks;       ///< by rank
  std::uint64_t run_time = 0;         ///< ticks, as replayed with nothing changed
  /// With every rank's computation stretched by its factor.
  std::uint64_t stretched_run_time = 0;
};

struct SlackOptions {
  /// By what share the run may get longer when all ranks are stretched.
  double most_added = 0.005;
  /// The largest factor: frequencies don't go any lower.
  double most_stretch = 8;
  /// Rounds of the search for factors; each takes a replay of the log.
  unsigned rounds = 24;
};

/// Finds the slack of all computation: total by the latest times that leave the run as long as it
/// is; apportioned by the time that MPI calls waited as measured, as far as nobody waits for the
/// rank; and for each rank one stretch, checked by a replay with all ranks stretched. Throws
/// SystemError (no room for temporary files).
SlackReport slack_of(const ActivityLog& log, const SlackOptions& options = {});

}  // namespace huddle::waitstates
