#pragma once

#include <cstdint>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recommend {

/// Slack of a rank, by which it may compute more slowly: its time, without the last group, may grow
/// by `slack` before anyone waits longer for it.
struct GroupSlack {
  /// The load of the rank in a phase group; twice the standard deviation of a pass is in it,
  /// as far as the longest pass shows.
  Seconds load;
  /// The slack, by which it may grow: the critical rank's mean time less the rank's load and less
  /// what it spent in MPI meanwhile, at most what it waited longer at the group's end than the last
  /// one to come, divided by 1 + the tolerance (hybrid DCT and DVFS, equations (4) and (9)). 0 for
  /// the critical rank.
  Seconds slack;
};

/// For each rank the phase groups in the same order, what is in none of them last; a group
/// that a rank has no part in is 0. Without phases in the profile there is but the whole run, and
/// so there is if the profile has wait states: then the slack is theirs, found in a trace, less the
/// tolerance, as a share of the rank's computation in the profile. `tolerance`: the papers'
/// epsilon. `profile`: complete.
std::vector<std::vector<GroupSlack>> slacks_of(const Profile& profile, double tolerance = 0.15);

/// The share by which a run gets longer if all ranks use their slack, where that is known: of slack
/// that was found in a trace. Else 0.
double added_by_slack(const Profile& profile);

/// The frequencies that each rank's cores should be set to.
struct RankFrequencies {
  /// For each rank one of the frequencies that may be set, none above the job's.
  std::vector<Hertz> by_rank;
  /// The time by which the run gets longer at most, of the profile's run time: what ranks exceed
  /// their slack by, in every group that of the one that exceeds it most.
  double added = 0;
  /// The most computation of a rank over the least (energy-aware load balancing, equation (2), at
  /// one frequency): l. Infinite if a rank does not compute.
  double imbalance = 1;
  /// True if l is above the job's frequency over the lowest one, so that frequencies alone can't
  /// balance the ranks.
  bool beyond_frequencies = false;
};

/// Lowers each rank's frequency from the job's, `highest`, as far as its slack allows, computation
/// taking longer in proportion: the most loaded ranks keep theirs. No rank exceeds its slack by
/// more than a small share of the run time, and all together exceed theirs by at most `most_added`
/// of it, else no rank is slower than `highest`. Ranks with equal `clock_of` share a clock: it runs
/// as its most loaded rank needs it. `settable`: ascending, with `highest` among them.
RankFrequencies frequencies_for_ranks(const std::vector<std::vector<GroupSlack>>& slacks,
                                      Seconds run_time, Hertz highest,
                                      const std::vector<Hertz>& settable,
                                      const std::vector<std::uint32_t>& clock_of,
                                      double most_added);

}  // namespace huddle::recommend
