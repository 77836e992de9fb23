#include "spank_plugin/runtime/packing/team_places.hpp"

#include <algorithm>
#include <map>

namespace huddle::runtime {

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

TeamHome::TeamHome(const PuSet& home, const std::vector<hardware::PhysicalCore>& cores) {
  struct Place {
    std::size_t turn;  // which PU of its core it is
    std::uint32_t die;
    std::uint32_t pu;
    auto operator<=>(const Place&) const = default;
  };
  std::map<std::uint32_t, std::vector<Place>> by_package;
  PuSet known;
  for (const hardware::PhysicalCore& core : cores) {
    std::size_t turn = 0;
    for (const std::uint32_t pu : core.pus.members()) {
      if (!home.contains(pu)) continue;
      by_package[core.package].push_back({turn++, core.die, pu});
      known.add(pu);
    }
  }
  for (auto& [package, places] : by_package) {
    std::sort(places.begin(), places.end());
    pus_.emplace_back();
    for (const Place& place : places) pus_.back().push_back(place.pu);
  }
  std::stable_sort(pus_.begin(), pus_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::uint32_t> others;
  for (const std::uint32_t pu : home.members())
    if (!known.contains(pu)) others.push_back(pu);
  if (!others.empty()) pus_.push_back(std::move(others));
}

std::uint32_t TeamHome::size() const {
  std::size_t size = 0;
  for (const auto& package : pus_) size += package.size();
  return static_cast<std::uint32_t>(size);
}

// The number of PUs of each package.
std::vector<std::uint32_t> TeamHome::shares(std::uint32_t count, std::uint32_t packages) const {
  std::vector<std::uint32_t> shares(pus_.size(), 0);
  const std::size_t used =
      std::clamp<std::size_t>(packages, 1, std::max<std::size_t>(1, pus_.size()));
  std::uint32_t left = std::min(count, size());
  const auto give = [&](std::size_t package, std::uint32_t wanted) {
    const auto room = static_cast<std::uint32_t>(pus_[package].size()) - shares[package];
    const std::uint32_t given = std::min({wanted, room, left});
    shares[package] += given;
    left -= given;
  };
  for (std::size_t i = 0; i < used && i < pus_.size(); ++i)
    give(i, static_cast<std::uint32_t>((count + used - 1 - i) / used));
  for (std::size_t i = 0; i < pus_.size(); ++i) give(i, left);
  return shares;
}

std::vector<std::uint32_t> TeamHome::pus(std::uint32_t count, std::uint32_t packages) const {
  const std::vector<std::uint32_t> from_each = shares(count, packages);
  std::vector<std::uint32_t> pus;
  for (std::size_t i = 0; i < pus_.size(); ++i)
    pus.insert(pus.end(), pus_[i].begin(), pus_[i].begin() + from_each[i]);
  return pus;
}

std::uint32_t TeamHome::packages(std::uint32_t count, std::uint32_t packages) const {
  const std::vector<std::uint32_t> from_each = shares(count, packages);
  return static_cast<std::uint32_t>(
      std::count_if(from_each.begin(), from_each.end(), [](std::uint32_t n) { return n > 0; }));
}

std::vector<std::uint32_t> RandomPlaces::next(std::uint32_t team) {
  const auto counts = packable_counts(team, static_cast<std::uint32_t>(pus_.size()));
  if (counts.empty() || random_() % 4 == 0) return {};
  std::shuffle(pus_.begin(), pus_.end(), random_);
  const std::uint32_t count = counts[random_() % counts.size()];
  return team_places(team, {pus_.begin(), pus_.begin() + count});
}

}  // namespace huddle::runtime
