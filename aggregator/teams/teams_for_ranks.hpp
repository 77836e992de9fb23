#pragma once

// The one choice of cores, sizes and clocks for teams, whoever asks for it: a plan, or a rank while
// it runs.

#include <cstdint>
#include <set>
#include <string>

#include "aggregator/hybrid/team_program.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/throttling/region_cores.hpp"

namespace huddle::teams {

/// Settings by which teams are chosen.
struct TeamOrder {
  /// The share by which groups of phases may become longer; 0 to 1.
  double bound = 0.05;
  /// Energy x time must fall, and not only energy.
  bool weighs_time = false;
  /// Ids of regions whose teams may have fewer threads.
  std::set<std::uint64_t> may_shrink = {};
  /// The profile has one rank of several, which chooses for itself while it runs. It counts as the
  /// critical one, since nothing is known of others: what it waits for them is no slack. What
  /// shares its packages counts as busy, and its clocks stay.
  bool is_one_rank = false;
};

/// Orders for ranks, and why, or why they are to do nothing: a phrase for people.
struct TeamsForRanks {
  throttling::ChosenByRank chosen;
  std::string reason;
};

/// Chooses by what a run measured, and by nothing that is only predicted. Its text is no longer
/// than kMostTeamsText: positions are left out where it would be. Throws Error as
/// teams_of_profile() does.
TeamsForRanks choose_for_ranks(const Profile& profile, const Machine& machine,
                               const TeamOrder& order);

/// Adds to a program of one rank what else may be on its packages: wherever a part of a package or
/// die is not the rank's, something is busy there all the time, so that the rank can't empty it.
void keep_shared_parts_busy(hybrid::TeamProgram& program);

}  // namespace huddle::teams
