#pragma once

// The parallel regions of OpenMP in a profile. Only outermost ones: what regions do inside of
// others is a part of these.

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// A rank's passes of one region while it was in one group of phases.
struct OpenMpRegionRecord {
  /// Names a PhaseGroup of the profile's shared tables; 0 where no phase is known: regions of
  /// threads that are not the rank's first, or those after its last delimiter.
  std::uint64_t group = 0;
  /// Names an OpenMpRegion of the profile's shared tables.
  std::uint64_t region = 0;
  /// Number of times that the rank went through it; at least 1.
  std::uint64_t passes = 0;
  /// Wall time of one pass, from before its team is made to after it has ended: mean, variance (of
  /// the population, in s^2) and extremes over all passes.
  Seconds mean;
  double variance_s2 = 0;
  Seconds shortest;
  Seconds longest;
  /// Wall time outside MPI and outside regions before them, since the last region or delimiter of
  /// the same thread, over all passes.
  Seconds serial;
  /// Sizes of its teams: they differ where the program or its runtime changes them.
  std::uint32_t smallest_team = 1;
  std::uint32_t largest_team = 1;
  /// Number of passes that were not timed: then times are estimates from those that were, and
  /// `shortest` and `longest` are of those. Where none was, they are of the region's passes in all
  /// groups.
  std::uint64_t untimed_passes = 0;
  /// In how many of the timed passes the work of each thread of the team was looked at; may be 0.
  std::uint64_t observed_passes = 0;
  /// Estimates by the shares of those passes' time, times `mean`: how long a thread was in the
  /// region's function and at no barrier, mean over the threads of a team and over passes; and the
  /// mean over passes of the busiest thread's.
  Seconds busy = {};
  Seconds busiest = {};
  /// In how many of the timed passes the counters were read; may be 0. What follows is of these,
  /// each as often as it stands for passes.
  std::uint64_t counted_passes = 0;
  /// Number of passes that they stand for: `counted_passes` or more, about `passes`.
  std::uint64_t counted_for = 0;
  Seconds counted_time = {};
  /// Counts of the counters of RankRecord::events in them, in all threads of the process: as
  /// PhaseRecord::counts.
  std::vector<double> counts = {};

  friend bool operator==(const OpenMpRegionRecord&, const OpenMpRegionRecord&) = default;
};

/// A sequence of regions that a rank's first thread went through again and again: as
/// PassPeriodRecord.
struct RegionPeriodRecord {
  /// The number of a pass of any region, from 0 on, from which on it was seen.
  std::uint64_t first = 0;
  std::uint64_t passes = 0;
  /// Regions of the passes of one period, from `first` on: ids of OpenMpRegions. At least 2, and at
  /// most `passes`.
  std::vector<std::uint64_t> regions;

  friend bool operator==(const RegionPeriodRecord&, const RegionPeriodRecord&) = default;
};

/// Times of a region's passes while its team, whose size stays, ran on fewer cores than it was
/// given: tried for some moments, or as a plan said. They count in the OpenMpRegionRecord as well.
struct PackedRegionRecord {
  /// Names an OpenMpRegion of the profile's shared tables.
  std::uint64_t region = 0;
  /// Number of threads in its team.
  std::uint32_t team = 1;
  /// On how many cores they were, fewer than `team`, and over how many packages these are spread.
  std::uint32_t cores = 1;
  std::uint32_t packages = 1;
  /// At least 1. Without those of `first_passes`.
  std::uint64_t passes = 0;
  /// As in OpenMpRegionRecord.
  Seconds mean;
  double variance_s2 = 0;
  Seconds shortest;
  Seconds longest;
  /// Passes that came just behind a change: caches were cold, and threads moved. May be 0; their
  /// mean is 0 then.
  std::uint64_t first_passes = 0;
  Seconds first_mean;
  /// Passes of the same run, with as large a team, as the program was started. May be 0.
  std::uint64_t usual_passes = 0;
  Seconds usual_mean;
  double usual_variance_s2 = 0;
  /// In a run that chose by what it had tried until then, which is all of the above: passes since
  /// then on these cores, and their mean. Else 0.
  std::uint64_t acted_passes = 0;
  Seconds acted_mean = {};

  friend bool operator==(const PackedRegionRecord&, const PackedRegionRecord&) = default;
};

/// Times of a region's passes at one position of a period, as the program was started.
struct RegionPositionRecord {
  /// Names an OpenMpRegion of the profile's shared tables.
  std::uint64_t region = 0;
  /// Stands for the regions since the period's anchor, in their order. 0: all passes that were at
  /// no such place.
  std::uint64_t context = 0;
  /// The region's place behind the anchor, from 1 on; 0 where `context` is.
  std::uint32_t position = 0;
  /// Names the PhaseGroup that it was in the last time; 0: not known.
  std::uint64_t group = 0;
  std::uint32_t team = 1;
  /// At least 1.
  std::uint64_t passes = 0;
  Seconds mean;
  double variance_s2 = 0;

  friend bool operator==(const RegionPositionRecord&, const RegionPositionRecord&) = default;
};

/// The same with its team, whose size stays, on fewer cores: as PackedRegionRecord.
struct PackedPositionRecord {
  std::uint64_t region = 0;
  /// There is a RegionPositionRecord of this region and context.
  std::uint64_t context = 0;
  std::uint32_t cores = 1;
  std::uint32_t packages = 1;
  /// At least 1. Without `first_passes`.
  std::uint64_t passes = 0;
  Seconds mean;
  double variance_s2 = 0;
  std::uint64_t first_passes = 0;
  Seconds first_mean;

  friend bool operator==(const PackedPositionRecord&, const PackedPositionRecord&) = default;
};

/// Times of a rank's regions by their position in a period, in a run that tried its teams on fewer
/// cores. Empty if no region took clearly longer at one position than at another.
struct RegionPositions {
  /// From where on positions count: the id of a group of phases that ends or of a region, or what
  /// stands for a pair of them. 0 if this is empty.
  std::uint64_t anchor = 0;
  /// Number of regions in a period; at least 2.
  std::uint32_t length = 0;
  std::vector<RegionPositionRecord> as_started;
  std::vector<PackedPositionRecord> packed;

  friend bool operator==(const RegionPositions&, const RegionPositions&) = default;
};

/// A region, on all ranks.
struct OpenMpRegion {
  /// The same on all ranks, and in other runs of the same executable: made of the build id of the
  /// program or library that it is in, and its place there.
  std::uint64_t id = 0;
  /// Its outlined function as in a phase group's description, "region at halo_exchange+0x12a0": the
  /// number is where the function begins, and no return address. "regions at other places" for
  /// those that were too many to be kept apart.
  std::string place;

  friend bool operator==(const OpenMpRegion&, const OpenMpRegion&) = default;
};

}  // namespace huddle
