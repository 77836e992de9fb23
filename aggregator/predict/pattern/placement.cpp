#include "aggregator/predict/pattern/placement.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
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

bool at_most_as_dense(const Sharing& sharing, const Sharing& other) {
  return sharing.die <= other.die && sharing.package <= other.package && sharing.node <= other.node;
}

Sharing sharing_of(const Pattern& pattern) {
  return {pattern.cores, pattern.cores * pattern.dies, pattern.ranks_per_node()};
}

std::optional<Pattern> pattern_with(const Sharing& sharing) {
  if (sharing.package % sharing.die != 0 || sharing.node % sharing.package != 0) return {};
  return Pattern{sharing.node / sharing.package, sharing.package / sharing.die, sharing.die};
}

std::optional<std::vector<Sharing>> sharings_of(const std::vector<Location>& locations) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> on_die;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::uint32_t> on_package;
  std::map<std::uint32_t, std::uint32_t> on_node;
  for (const Location& at : locations) {
    if (at.package == Location::kSeveral || at.die == Location::kSeveral) return {};
    ++on_die[{at.node, at.package, at.die}];
    ++on_package[{at.node, at.package}];
    ++on_node[at.node];
  }
  std::vector<Sharing> sharings;
  sharings.reserve(locations.size());
  for (const Location& at : locations)
    sharings.push_back({on_die.at({at.node, at.package, at.die}),
                        on_package.at({at.node, at.package}), on_node.at(at.node)});
  return sharings;
}

std::optional<std::vector<RankClass>> classes_of(const std::vector<Location>& locations) {
  const std::optional<std::vector<Sharing>> sharings = sharings_of(locations);
  if (!sharings) return {};
  std::map<Sharing, std::vector<std::uint32_t>> ranks;
  for (std::uint32_t rank = 0; rank < sharings->size(); ++rank)
    ranks[(*sharings)[rank]].push_back(rank);
  std::vector<RankClass> classes;
  for (auto& [sharing, of_class] : ranks) classes.push_back({sharing, std::move(of_class)});
  return classes;
}

}  // namespace huddle
