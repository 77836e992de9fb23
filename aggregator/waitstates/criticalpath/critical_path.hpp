#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// What a rank's first thread did in a call path, as the critical path sees it: the computation
/// before an MPI call, and behind the last, counts in the call paths that it was spent in. Time in
/// no known region has the call path CallPath::kRoot.
struct CriticalPathShare {
  std::uint32_t call_path = 0;  ///< of the report
  std::uint32_t rank = 0;
  std::uint64_t on_path = 0;  ///< ticks on the critical path
  std::uint64_t ticks = 0;    ///< all that it spent in the call path, without waiting
  friend bool operator==(const CriticalPathShare&, const CriticalPathShare&) = default;
};

/// A call path, all ranks together.
struct CriticalCallPath {
  std::uint32_t call_path = 0;
  std::uint64_t on_path = 0;
  /// Ticks on the critical path less the mean over the ranks of what they spent in the call path
  /// (without waiting), if that is more than 0: how much shorter the run could be if the call
  /// path's work were spread evenly (Boehme et al., critical-path imbalance). Rounded to the
  /// nearest tick.
  std::uint64_t imbalance = 0;
  friend bool operator==(const CriticalCallPath&, const CriticalCallPath&) = default;
};

/// An interval of the critical path on one rank.
struct CriticalInterval {
  std::uint32_t rank = 0;
  std::uint64_t begin = 0;  ///< ticks since the report's begin
  std::uint64_t end = 0;
  friend bool operator==(const CriticalInterval&, const CriticalInterval&) = default;
};

/// The longest chain of work without waiting through a run: what made it as long as it was.
struct CriticalPath {
  std::uint64_t run_time = 0;  ///< ticks; the sum of all `on_path`
  std::uint64_t jumps = 0;     ///< how often the path goes from one rank to another
  /// By call path, rank; what is 0 in all is left out.
  std::vector<CriticalPathShare> shares;
  std::vector<CriticalCallPath> call_paths;  ///< by call path
  /// In order of time, without gaps; the longest of them if there are more than `most_intervals`.
  std::vector<CriticalInterval> intervals;
  std::uint64_t computation = 0;  ///< ticks outside MPI, all ranks
  std::uint64_t waiting = 0;      ///< ticks in MPI until a partner had come, all ranks
  /// What imbalance, waiting and MPI cost: the run time of all ranks less their computation.
  std::uint64_t lost = 0;
  /// Dependencies that contradict the clocks; the path does not follow them.
  std::uint64_t contradictions = 0;
};

/// Walks back from the end of the rank that ends last; from an MPI call that waited for a partner
/// it goes on at the partner, where that began (message: the sender's send; collective: the last to
/// come, or the root, or the last of the lower ranks; rendezvous: the receiver's receive). Time
/// grows with the log's length, memory with the number of ranks and call paths.
CriticalPath critical_path_of(const ActivityLog& log, std::size_t most_intervals = 10'000);

}  // namespace huddle::waitstates
