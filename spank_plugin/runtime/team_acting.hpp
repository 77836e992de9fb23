#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "spank_plugin/runtime/packing/team_places.hpp"

namespace huddle::runtime {

/// The rank whose teams are acted on.
struct TeamTask {
  Rank rank;
  std::uint32_t ranks = 1;
  TeamHome home;
  /// Why they must not be packed, for people; or empty. It does not matter to
  /// HUDDLE_TEAMS=shake, which is to try what may break.
  std::string why_not;
  /// Why they must not even be shaken.
  std::string why_never;
  /// When the run began.
  recorder::Moment begin;
};

/// True if the environment asks for anything to be done about teams.
bool wants_to_act_on_teams(const Environment& environment);

/// From now on the teams of OpenMP that the calling thread begins are packed, if the environment
/// asks for it (packing_driver.hpp): then true. For one thread of a process, once. Throws
/// std::bad_alloc.
bool act_on_teams(const Environment& environment, TeamTask task);

/// Once teams were tried, asks what was started beside the rank to choose by that, and takes what
/// it answers, in as many calls as it takes, each of which waits for some tenths of a second at
/// most. `document`: a profile of this rank alone, as rank 0. By one thread of the recorder's own.
void go_on_choosing(const std::function<std::string()>& document);

/// A delimiter begins at `now`, in ticks, and ends `group`. By the same thread.
void team_group_ends(std::uint64_t group, std::uint64_t now) noexcept;

/// Adds the times of the record's regions on fewer cores and with fewer threads so far, and, where
/// regions differ by their position in a period, by that. `run` turns ticks into time. Safe from
/// any thread. Throws std::bad_alloc.
void add_acted_regions(RankRecord& record, const recorder::Interval& run);

/// The same thread, outside of regions: all threads go back to where they were, for good. What
/// there is to say of it, a sentence for people; empty if nothing was asked for.
std::string stop_acting_on_teams();

/// All ranks came to the end of the run: programs of which it tried smaller teams, this rank's and
/// others', ended well (profiles/store/team_sizes.hpp). By one rank. Throws Error, std::bad_alloc.
void note_end_of_audits(const Environment& environment);

/// In a child of fork(): nothing is packed there.
void forget_teams() noexcept;

}  // namespace huddle::runtime
