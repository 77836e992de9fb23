#include "aggregator/chooser/rank_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "aggregator/teams/teams_for_ranks.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::chooser {
namespace {

// One pass says nothing of how much passes differ. A plan that is made later may have others' times
// of the region, too.
Profile with_repeated_trials(Profile profile) {
  constexpr std::uint64_t kFewestTried = 2;
  constexpr std::uint64_t kFewestUsual = 3;
  for (RankRecord& rank : profile.rank_records) {
    std::erase_if(rank.packed_regions, [](const PackedRegionRecord& tried) {
      return tried.passes < kFewestTried || tried.usual_passes < kFewestUsual;
    });
    std::erase_if(rank.region_positions.packed,
                  [](const PackedPositionRecord& tried) { return tried.passes < kFewestTried; });
  }
  return profile;
}

std::string nothing_chosen(std::string_view why) {
  std::string line = fmt::format("{}{}", kNothingChosen, why);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

std::string choice_of_rank(const Profile& profile, const Machine& machine,
                           const ChoiceOrder& order) {
  if (profile.rank_records.size() != 1)
    throw Error(fmt::format("found a profile of {} ranks, expected one of one rank",
                            profile.rank_records.size()));
  const teams::TeamsForRanks teams = teams::choose_for_ranks(
      with_repeated_trials(profile), machine,
      {.bound = order.bound, .weighs_time = order.weighs_time, .is_one_rank = true});
  return teams.chosen.teams.empty() ? nothing_chosen(teams.reason) : text_of(teams.chosen);
}

}  // namespace huddle::chooser
