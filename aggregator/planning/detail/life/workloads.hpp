#pragma once

// A program's work changes with its input, and runs of different work say nothing about each other.
// No record says which work a run did, but their times do: runs as submitted on the same nodes that
// differ by far more than runs vary, and packed runs that took less time than packing explains.

#include <cstddef>
#include <vector>

#include "aggregator/planning/detail/life/logged_times.hpp"
#include "aggregator/planning/promise.hpp"

namespace huddle {

/// Runs that are taken to be of one workload.
struct ComparedWorkload {
  /// Oldest first; without the unexplained ones.
  std::vector<ComparedRun> runs;
  LoggedTimes as_submitted;
  /// Packed runs that took less time than the pattern explains, where further runs as submitted
  /// have not shown that it does all the same.
  LoggedTimes unexplained;
  /// True if no run as submitted came after the last one of these.
  bool is_open = false;
  /// True if one of its packed runs was taken from the workload before, where it was too slow.
  bool was_too_slow = false;
};

/// Runs, oldest first, by workload. A run as submitted that differs from those before begins a new
/// one, and takes with it the packed runs just before that it explains, and those did not. Without
/// PromiseRules::least packed runs are never unexplained.
std::vector<ComparedWorkload> workloads_of(const std::vector<ComparedRun>& runs,
                                           const PromiseRules& rules);

}  // namespace huddle
