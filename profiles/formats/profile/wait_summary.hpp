#pragma once

#include <string>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// How a rank's time went in a run that was traced.
struct RankWaitSummary {
  /// Of its first thread, from its first event to its last.
  Seconds run_time;
  /// Of that, outside MPI.
  Seconds computation;
  /// By how much longer all of its computation may take, in proportion, while that of the other
  /// ranks takes longer by theirs.
  Seconds slack;

  friend bool operator==(const RankWaitSummary&, const RankWaitSummary&) = default;
};

/// What the ranks waited by one pattern.
struct PatternWaitSummary {
  /// "late_sender": as `huddle waitstates --json` names it.
  std::string pattern;
  /// By rank; of all its threads.
  std::vector<Seconds> waited;

  friend bool operator==(const PatternWaitSummary&, const PatternWaitSummary&) = default;
};

/// What an analysis of wait states found out about a program.
struct WaitSummary {
  /// What it was found out from: "trace".
  std::string origin;
  Seconds run_time;
  /// What the run takes if every rank's computation takes longer by its slack, by a replay.
  Seconds stretched_run_time;
  /// By rank; as many as the profile has ranks.
  std::vector<RankWaitSummary> ranks;
  /// Ordered by pattern, none twice. Those that nobody waited by may be missing.
  std::vector<PatternWaitSummary> patterns;

  friend bool operator==(const WaitSummary&, const WaitSummary&) = default;
};

}  // namespace huddle
