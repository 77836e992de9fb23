#pragma once

// Passes of regions that ran on fewer cores while their run was under way, as a profile has them.

#include <cstdint>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::teams {

/// True if both times are known that a region takes: on these cores, and as the program was
/// started.
bool says_how_long(const PackedRegionRecord& record);

/// A region's time in a rank's run as it would have been, as a share of what it was, had the passes
/// that the run acted on (PackedRegionRecord::acted_passes, and those of teams that were smaller
/// for most of its passes) been as the program was started: they would have taken longer, or less,
/// by what was measured where the region was tried. 1 where none was acted on.
double share_as_started(const RankRecord& record, std::uint64_t region);

/// The number of passes by which the run acted on the record's region; 0: it only tried.
std::uint64_t passes_acted_on(const PackedRegionRecord& record);

/// A run that acted on teams by a plan, as a trial: packed passes of regions that were packed for
/// most of it are such that it acted on.
Profile with_acted_passes(Profile profile);

/// Mean of trials of a region on fewer cores, of one rank or of several, and its error, as shares
/// of the usual time.
struct MeasuredStretch {
  double weight = 0;
  double stretch = 0;
  double variance = 0;  // of the stretch
  double refill = 0;    // seconds

  void add(const PackedRegionRecord& record);
  /// The share of itself by which the stretch may be too low.
  [[nodiscard]] double error() const;
};

}  // namespace huddle::teams
