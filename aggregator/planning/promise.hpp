#pragma once

// A verdict on the bound of slowdown that a plan promised, by the elapsed times of runs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::planning {

/// A run that ended well.
struct ComparedRun {
  /// True if it followed the plan's pattern; else it ran as submitted.
  bool packed = false;
  /// Above 0.
  Seconds elapsed;
};

/// Knowledge of a promise.
enum class PromiseState : std::uint8_t {
  kUntried,      ///< no packed run has ended yet
  kUnconfirmed,  ///< kept, but runs vary too much for so few to be sure of it
  kKept,         ///< kept
  kBroken,       ///< the packed runs were slower than the bound allows
  /// The packed runs since the last one as submitted took less time than the pattern explains: they
  /// are taken for another workload.
  kOtherWorkload,
};

/// The kind of run that should be next.
enum class NextRun : std::uint8_t {
  kPacked,
  kAsSubmitted,  ///< to be compared with: the plan stays as it is
};

struct PromiseRules {
  /// 0.05: the packed runs may be 5 % slower.
  double bound = 0.05;
  /// After so many packed runs of a plan that is close to its bound, one runs as submitted, so that
  /// a change of the program or of the machine is noticed; 0: none does.
  std::uint32_t check_every = 20;
  /// The least slowdown that the pattern explains, -0.1 being 10 % less time; absent: any.
  std::optional<double> least = {};
};

struct PromiseVerdict {
  PromiseState state = PromiseState::kUntried;
  NextRun next = NextRun::kPacked;
  /// Measured slowdown of the packed runs against those as submitted, and the interval that holds
  /// it with 90 % probability; 0 where one of them is missing.
  double slowdown = 0;
  double low = 0;
  double high = 0;
  std::size_t packed_runs = 0;
  std::size_t runs_as_submitted = 0;
  /// Geometric means of their times; 0 without such runs.
  Seconds packed_time;
  Seconds time_as_submitted;
  /// Packed runs that count neither way, as they took less time than the pattern explains, and by
  /// how much less; 0 if there are none.
  std::size_t unexplained_runs = 0;
  double unexplained_change = 0;
};

/// The number of the newest runs of each kind that count.
inline constexpr std::size_t kMostComparedRuns = 16;

/// Judges runs, oldest first. A plan whose packed runs are slower on average than the bound allows
/// (and by 2 s more, which starting and ending a job may differ by) is broken at once. It is packed
/// again only when further runs as submitted show that the comparison was unlucky: the bound lies
/// within what the runs leave open, and 10 points beyond it do not. One that is kept, but may by 1
/// % be as bad as that, gets a run as submitted between packed ones until that is clear.
///
/// Runs are compared with those of their own workload (workloads.hpp): those of the newest one
/// count. A plan that was broken before its program's work changed stays so, unless the new runs
/// as submitted explain what broke it. After packed runs that took less time than the pattern
/// explains, one runs as submitted, to be compared with.
///
/// Runs vary, those as submitted, too: the spread is estimated from repeated runs of both kinds,
/// beginning with 3 %, and intervals are Student's. For runs that vary by up to 5 % a plan that is
/// truly 10 points beyond its bound is followed at most twice in more than 99 % of histories, and
/// one that is 3 points below it ends up being followed in more than 99 %.
PromiseVerdict judge_promise(const std::vector<ComparedRun>& runs, const PromiseRules& rules);

}  // namespace huddle::planning
