#include "aggregator/waitstates/replay/team_barriers.hpp"

#include <algorithm>

namespace huddle {

bool TeamBarriers::has(std::uint32_t team, std::uint32_t location) const {
  if (team >= teams_.size()) return false;
  const std::vector<std::uint32_t>& members = teams_[team];
  const std::uint32_t rank = definitions_.locations[location].rank;
  const bool of_one_rank = std::ranges::all_of(members, [&](std::uint32_t member) {
    return member < definitions_.locations.size() && definitions_.locations[member].rank == rank;
  });
  return of_one_rank && std::ranges::find(members, location) != members.end();
}

std::uint64_t TeamBarriers::arrive(std::uint32_t team, std::uint32_t location, std::uint64_t time) {
  const std::uint64_t number = next_[{team, location}]++;
  Barrier& barrier = barriers_[{team, number}];
  barrier.latest = std::max(barrier.latest, time);
  if (++barrier.came == teams_[team].size())
    for (const std::uint32_t member : teams_[team]) wake_(member);
  return number;
}

const std::uint64_t* TeamBarriers::complete(std::uint32_t team, std::uint64_t number) {
  const Barrier* const barrier = barriers_.find({team, number});
  const bool all = barrier != nullptr && barrier->came >= teams_[team].size();
  return all ? &barrier->latest : nullptr;
}

void TeamBarriers::leave(std::uint32_t team, std::uint64_t number) {
  Barrier* const barrier = barriers_.find({team, number});
  if (barrier != nullptr && ++barrier->left == teams_[team].size()) barriers_.erase({team, number});
}

bool TeamBarriers::hopeless(std::uint32_t team, std::uint64_t number,
                            const std::vector<bool>& ended_locations) {
  return std::ranges::any_of(teams_[team], [&](std::uint32_t member) {
    const std::uint64_t* const next = next_.find({team, member});
    const bool came = next != nullptr && *next > number;
    return !came && (member >= ended_locations.size() || ended_locations[member]);
  });
}

}  // namespace huddle
