#pragma once

// A program's work changes with its input, and runs of different work say nothing about each other.
// No record says which work a run did, but their times do: runs as submitted on the same nodes that
// differ by far more than runs vary, and packed runs that took less time than packing explains.

#include <cstddef>
#include <vector>

#include "aggregator/planning/promise.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::planning {

/// The newest times of runs of one kind, of which factors are compared: their logarithms.
class LoggedTimes {
 public:
  /// The number of runs that count.
  static constexpr std::size_t kMost = kMostComparedRuns;
  /// The spread of runs that is believed before there are several: 3 %, as if 8 runs
  /// had shown it.
  static constexpr double kUsualSpread = 0.03;
  static constexpr double kUsualRuns = 8;

  /// Above 0.
  void add(Seconds elapsed);
  [[nodiscard]] std::size_t count() const { return logs_.size(); }
  /// The mean of the logarithms. Precondition: count() > 0.
  [[nodiscard]] double mean() const;
  /// The geometric mean; 0 without any.
  [[nodiscard]] Seconds time() const;
  /// The sum of the squares of what each differs by from the mean.
  [[nodiscard]] double squares() const;
  /// The difference from the mean that one run more of the kind hardly ever has.
  [[nodiscard]] double usual_difference() const;

 private:
  std::vector<double> logs_;
};

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

}  // namespace huddle::planning
