#include "aggregator/predict/pattern/location.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace huddle {
namespace {

// By PU: the package and die it belongs to.
std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> dies_by_pu(
    const NodeTopology& node) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> dies;
  for (std::uint32_t package = 0; package < node.packages; ++package)
    for (std::uint32_t die = 0; die < node.dies_per_package; ++die)
      for (std::uint32_t core = 0; core < node.cores_per_die; ++core)
        for (const std::uint32_t pu : node.core(package, die, core).pus.members())
          dies[pu] = {package, die};
  for (const NodeTopology::Idle& idle : node.idle)
    for (const std::uint32_t pu : idle.pus.members()) dies[pu] = {idle.package, idle.die};
  return dies;
}

}  // namespace

Distance distance_between(const Location& a, const Location& b) {
  if (a.node != b.node) return Distance::kNetwork;
  if (a.package != b.package || a.package == Location::kSeveral) return Distance::kNode;
  if (a.die != b.die || a.die == Location::kSeveral) return Distance::kPackage;
  return Distance::kDie;
}

std::vector<Location> locations_on(const Pattern& pattern,
                                   const std::vector<std::uint32_t>& core_of) {
  std::vector<Location> locations;
  locations.reserve(core_of.size());
  for (const std::uint32_t core : core_of) {
    const std::uint32_t die = core / pattern.cores;
    const std::uint32_t package = die / pattern.dies;
    locations.push_back(
        {package / pattern.packages, package % pattern.packages, die % pattern.dies});
  }
  return locations;
}

std::vector<Location> measured_locations(const Profile& profile, const NodeTopology& node) {
  const auto dies = dies_by_pu(node);
  std::map<std::string_view, std::uint32_t> node_numbers;
  std::vector<Location> locations;
  for (const RankRecord& record : profile.rank_records) {
    const auto number = static_cast<std::uint32_t>(node_numbers.size());
    Location location{node_numbers.emplace(record.node, number).first->second, Location::kSeveral,
                      Location::kSeveral};
    bool first = true;
    for (const std::uint32_t pu : record.pus.members()) {
      const auto found = dies.find(pu);
      const auto [package, die] =
          found == dies.end() ? std::pair(Location::kSeveral, Location::kSeveral) : found->second;
      if (first) location = {location.node, package, die};
      if (package != location.package) location.package = location.die = Location::kSeveral;
      if (die != location.die) location.die = Location::kSeveral;
      first = false;
    }
    locations.push_back(location);
  }
  return locations;
}

}  // namespace huddle
