#include "profiles/recorder/packing/team_places.hpp"

#include <algorithm>

namespace huddle::recorder {

std::vector<std::uint32_t> packable_counts(std::uint32_t team, std::uint32_t most) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = std::min(team, most); count > 0; --count)
    if (team % count == 0) counts.push_back(count);
  return counts;
}

std::vector<std::uint32_t> team_places(std::uint32_t team, const std::vector<std::uint32_t>& pus) {
  if (pus.empty() || team == 0 || team % pus.size() != 0) return {};
  const std::size_t threads_each = team / pus.size();
  std::vector<std::uint32_t> places(team);
  for (std::size_t thread = 0; thread < team; ++thread) places[thread] = pus[thread / threads_each];
  return places;
}

std::vector<std::uint32_t> RandomPlaces::next(std::uint32_t team) {
  const auto counts = packable_counts(team, static_cast<std::uint32_t>(pus_.size()));
  if (counts.empty() || random_() % 4 == 0) return {};
  std::shuffle(pus_.begin(), pus_.end(), random_);
  const std::uint32_t count = counts[random_() % counts.size()];
  return team_places(team, {pus_.begin(), pus_.begin() + count});
}

}  // namespace huddle::recorder
