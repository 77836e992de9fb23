#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::render {

/// The sort of work that an MPI function does.
enum class CallSort : std::uint8_t {
  kMessages,
  kCompletion,
  kCollectives,
  kOneSided,
  kFiles,
  kOthers
};
inline constexpr std::size_t kCallSorts = 6;

/// The sort of a function by its name as in CallKind::operation: without MPI_ and in lower case.
CallSort sort_of_call(std::string_view operation);

/// For people.
std::string_view name_of(CallSort sort);

/// A time of several ranks, summed up.
class TimeSpread {
 public:
  /// Times that are added for one rank add up; its times must come one after the other.
  void add(Rank rank, Seconds time);

  [[nodiscard]] Seconds sum() const { return sum_; }
  /// Number of ranks that had any.
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  /// Over those ranks; 0 if there are none.
  [[nodiscard]] Seconds mean() const;
  /// The most that one rank had.
  [[nodiscard]] Seconds longest() const { return longest_; }
  /// The rank that had it; the lowest of several.
  [[nodiscard]] Rank slowest() const { return slowest_; }
  /// The time that the slowest rank took longer than the mean, as a share of the mean; 0 if that is
  /// 0.
  [[nodiscard]] double imbalance() const;

 private:
  Seconds sum_;
  Seconds longest_;
  Seconds of_this_rank_;
  Rank slowest_;
  Rank last_;
  std::uint32_t ranks_ = 0;
};

/// The calls of one MPI function by all ranks.
struct CallSummary {
  std::string operation;
  std::uint64_t calls = 0;
  /// See CallKind::timed.
  std::uint64_t timed = 0;
  TimeSpread time;
};

struct CollectiveSummary {
  std::string operation;
  std::string communicator;
  std::uint64_t calls = 0;
  Bytes bytes;
  TimeSpread time;
};

/// The computation between two delimiters, on all ranks that came by.
struct PhaseGroupSummary {
  PhaseGroup group;
  /// Passes of all ranks.
  std::uint64_t count = 0;
  /// Computation of a rank in all its passes.
  TimeSpread computation;
  /// The same of point-to-point calls on the way, and of the delimiter at its end.
  TimeSpread mpi_time;
  TimeSpread delimiter_time;
};

/// An OpenMP region, on all ranks and in all phase groups.
struct OpenMpRegionSummary {
  OpenMpRegion region;
  /// Passes of all ranks, and in how many phase groups they are.
  std::uint64_t passes = 0;
  std::uint32_t groups = 0;
  /// Number of passes that were timed; where these are fewer, times are estimates.
  std::uint64_t timed_passes = 0;
  /// Time of a rank in all its passes; and what it spent alone before them.
  TimeSpread time;
  TimeSpread serial;
  std::uint32_t smallest_team = 0;
  std::uint32_t largest_team = 0;
  /// In how many passes the work of each thread was looked at. Where there are any: which share of
  /// a pass a thread works, and the busiest thread of its team does, estimated, mean over ranks.
  std::uint64_t observed_passes = 0;
  double busy_share = 0;
  double busiest_share = 0;
  /// In how many passes the counters were read. Where there are any, what follows is estimated from
  /// these, for all passes of the ranks that counted the event; else nothing.
  std::uint64_t counted_passes = 0;
  /// Instructions per cycle of a core.
  std::optional<double> ipc = std::nullopt;
  /// Misses of the last cache per second of a rank in the region, all its threads together.
  std::optional<double> misses_per_s = std::nullopt;
};

/// Passes of a region with its team on fewer cores, of all ranks that had any.
struct PackedRegionSummary {
  OpenMpRegion region;
  std::uint32_t team = 1;
  std::uint32_t cores = 1;
  std::uint32_t packages = 1;
  std::uint32_t ranks = 0;
  std::uint64_t passes = 0;
  /// Means over these passes: of their times, and of what the region usually takes on their ranks.
  Seconds mean;
  Seconds usual_mean;
  /// Passes on these cores because the run itself chose them, of ranks that have any, and the mean
  /// over them.
  std::uint32_t acting_ranks = 0;
  std::uint64_t acted_passes = 0;
  Seconds acted_mean;
};

/// Ranks whose phases come again after so many passes.
struct PeriodSummary {
  std::size_t length = 0;
  std::uint32_t ranks = 0;
  /// The passes of the lowest of these ranks in which it was seen, and the groups of one period.
  std::uint64_t passes = 0;
  std::vector<std::uint64_t> groups;
};

/// Ranks whose regions come again after so many passes.
struct RegionPeriodSummary {
  std::size_t length = 0;
  std::uint32_t ranks = 0;
  /// The same of the lowest of these ranks as in PeriodSummary: ids of regions.
  std::uint64_t passes = 0;
  std::vector<std::uint64_t> regions;
};

struct CounterSummary {
  std::string event;
  double total = 0;
  std::uint32_t ranks = 0;
};

struct MeterSummary {
  std::string meter;
  /// The least certain one of several nodes.
  EnergyOrigin origin = EnergyOrigin::kMeter;
  Joules energy;
  std::uint32_t nodes = 0;
};

/// Ranks whose clocks followed their loads.
struct BalancingSummary {
  std::uint32_t ranks = 0;
  /// The record of the lowest of them: what all agreed on.
  RankBalancing agreed;
  /// The sums over all ranks.
  std::uint64_t clock_changes = 0;
  /// The highest and the lowest; and the mean over the ranks of their means, as a share of the top.
  Hertz top;
  Hertz lowest;
  double mean_share = 0;
};

/// A profile without the ranks: small, however many there are.
struct RunSummary {
  TimeSpread computation;
  TimeSpread mpi_time;
  /// One for each CallSort; all empty if the profile has no calls by function.
  std::vector<TimeSpread> time_by_sort;
  /// Those with most time first, then by name.
  std::vector<CallSummary> calls;
  /// Sorted by operation and communicator.
  std::vector<CollectiveSummary> collectives;
  /// Those with most computation first, then by id.
  std::vector<PhaseGroupSummary> phase_groups;
  /// Those with most time first, then by id.
  std::vector<OpenMpRegionSummary> openmp_regions;
  /// In the order of these regions; then by team, and most cores first.
  std::vector<PackedRegionSummary> packed_regions;
  /// Those of the most ranks first; of as many, the shorter ones.
  std::vector<PeriodSummary> periods;
  std::vector<RegionPeriodSummary> region_periods;
  /// Sorted by name.
  std::vector<CounterSummary> counters;
  std::vector<MeterSummary> meters;
  /// Absent where no rank's clock followed its load.
  std::optional<BalancingSummary> balancing;
};

RunSummary summary_of(const Profile& profile);

/// Number of nodes that the ranks ran on; 0 if that is not known.
std::size_t known_nodes(const Profile& profile);

}  // namespace huddle::render
