#pragma once

// Runs of one program in several sizes, as POP compares them: each efficiency beside the smallest
// run's, and how the computation itself changes, as a product of instructions, instructions per
// cycle and clock (J. Giménez, M. Wagner et al., as in run_efficiency.hpp). Where it stops scaling
// is said by Amdahl's law, fitted to the runs, as C. Rosas, J. Giménez and J. Labarta do it
// (Scalability Prediction for Fundamental Performance Factors, Supercomputing Frontiers and
// Innovations 1(2), 2014).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// A run as its comparison with others needs it: small, however many ranks it has.
struct ScalingSample {
  /// The file that it was read from, for people.
  std::string name;
  std::string executable;
  std::optional<double> problem_size;
  bool scales_weakly = false;
  std::uint32_t ranks = 0;
  std::uint32_t threads = 0;
  /// 0: not known.
  std::uint32_t nodes = 0;
  Seconds elapsed;
  bool hybrid = false;
  Efficiency efficiency;
  /// As in RunEfficiency.
  std::optional<Seconds> useful;
  std::optional<ComputationCounts> counts = std::nullopt;
};

/// Throws Error, which names the file, if the profile has no times or was cut short.
ScalingSample scaling_sample_of(const Profile& profile, const std::string& name);

enum class ScalingKind : std::uint8_t {
  kStrong,  ///< all runs solve one problem
  kWeak,    ///< each thread has as much to do in all of them
};

/// "strong" or "weak".
std::string_view name_of(ScalingKind kind);

/// A run beside the smallest one.
struct ScalingRow {
  ScalingSample sample;
  /// The work of a second, as a multiple of the smallest run's.
  double speedup = 1;
  /// Useful time, instructions, instructions per cycle and clock, as shares of what the smallest
  /// run's would make of it: below 1 where they cost time. Absent where the profiles don't say it.
  std::optional<double> computation = std::nullopt;
  std::optional<double> instructions = std::nullopt;
  std::optional<double> ipc = std::nullopt;
  std::optional<double> clock = std::nullopt;
  /// Parallel efficiency times the scaling of computation.
  std::optional<double> global = std::nullopt;
};

/// The part of the efficiency that falls most from the smallest run to the largest.
enum class ScalingFactor : std::uint8_t {
  kLoadBalance,
  kCommunication,
  kOpenMp,
  kComputation,
  kInstructions,
  kIpc,
  kClock,
  kUnknown,  ///< no part that is known falls
};

/// For people: "load balance".
std::string_view name_of(ScalingFactor factor);

/// The limit of a program's scaling, as far as its runs show it.
struct ScalingOutlook {
  enum class Kind : std::uint8_t {
    kOneSize,   ///< all runs have as many threads
    kStopped,   ///< `limit` threads did most in a second; more did no more
    kNoLoss,    ///< the largest run has 95 % or more of the smallest one's efficiency
    kTwoSizes,  ///< too few to foresee anything
    kNoLaw,     ///< Amdahl's law is off by more than five points
    kForeseen,  ///< half of the smallest run's efficiency is left at `limit` threads
    kFar,       ///< the same, but that is more than ten times what was run
  };
  Kind kind = Kind::kOneSize;
  std::uint64_t limit = 0;
  /// Efficiency of the largest run, as a share of the smallest one's.
  double efficiency = 1;
  /// kForeseen, kFar: the most that any number of threads is faster than the smallest run, and by
  /// how much the law is off at most, as a share.
  double most_speedup = 0;
  double off = 0;
  ScalingFactor factor = ScalingFactor::kUnknown;
};

/// For programs: "one_size", "stopped", "no_loss", "two_sizes", "no_law", "foreseen", "far".
std::string_view name_of(ScalingOutlook::Kind kind);

struct Scaling {
  ScalingKind kind = ScalingKind::kStrong;
  /// False if nobody said which kind it is: it is taken to be kStrong.
  bool kind_is_known = true;
  /// Sorted by number of threads; of as many, as they were given. The first is what others are
  /// compared with.
  std::vector<ScalingRow> rows;
  ScalingOutlook outlook;
};

/// Compares at least one run. `kind` is known to who asks; else by what the profiles say of their
/// problems. Throws Error if they are of several programs, or of problems that fit neither kind.
Scaling scaling_of(std::vector<ScalingSample> samples, std::optional<ScalingKind> kind);

/// Precondition: at least one row, in the order of Scaling::rows.
ScalingOutlook scaling_outlook_of(const std::vector<ScalingRow>& rows);

}  // namespace huddle::efficiency
