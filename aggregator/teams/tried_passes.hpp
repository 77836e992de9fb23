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
class MeasuredStretch {
 public:
  void add(const PackedRegionRecord& record);

  /// False if the trials took so much less than the usual passes that no machine is as quick: they
  /// had less to do, and say nothing.
  [[nodiscard]] bool is_possible() const;
  /// At least 1 unless the trials were quicker than usual by more than their error.
  [[nodiscard]] double stretch() const;
  /// The share of itself by which the stretch may be too low: 95 % of such means are no longer. The
  /// fewer passes, the more it is.
  [[nodiscard]] double error() const;
  [[nodiscard]] double passes() const { return weight_; }
  /// Seconds that the first pass behind a change took longer.
  [[nodiscard]] double refill() const { return refill_; }

 private:
  /// The share of the usual time that 95 % of such means are no longer than.
  [[nodiscard]] double at_most() const;

  double weight_ = 0;
  double mean_ = 0;
  double variance_ = 0;  // of the mean
  double usual_ = 0;     // seconds
  double refill_ = 0;
};

}  // namespace huddle::teams
