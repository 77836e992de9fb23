#include "aggregator/predict/pattern/placement.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace huddle::predict {
namespace {

// Where a rank is that runs on one PU alone, its node 0; and how many PUs its core has.
struct PuPlace {
  Location location;
  std::size_t pus_of_core = 0;
};

std::map<std::uint32_t, PuPlace> places_by_pu(const commgraph::NodeTopology& node) {
  std::map<std::uint32_t, PuPlace> places;
  const auto add = [&](const PuSet& pus, std::uint32_t package, std::uint32_t die,
                       std::uint32_t core) {
    PuPlace place{{0, package, die, core}, pus.members().size() * node.pus_per_core};
    if (node.numa_per_package > 0) place.location.numa_node = die / node.dies_per_numa();
    for (const std::uint32_t pu : pus.members()) places[pu] = place;
  };
  for (std::uint32_t package = 0; package < node.packages; ++package)
    for (std::uint32_t die = 0; die < node.dies_per_package; ++die)
      for (std::uint32_t core = 0; core < node.cores_per_die; ++core)
        add(node.core(package, die, core).pus, package, die, core / node.pus_per_core);
  for (const commgraph::NodeTopology::Idle& idle : node.idle)
    add(idle.pus, idle.package, idle.die, Location::kSeveral);
  return places;
}

// Where a rank is that may run at either place.
Location at_either(const Location& a, const Location& b) {
  Location both = a;
  if (b.package != a.package) both.package = both.die = Location::kSeveral;
  if (b.die != a.die) both.die = Location::kSeveral;
  if (both.die == Location::kSeveral) both.numa_node = Location::kNone;
  if (both.die == Location::kSeveral || b.core != a.core) both.core = Location::kSeveral;
  return both;
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
    const std::uint32_t on_core = core / pattern.pus;
    const std::uint32_t die = on_core / pattern.cores;
    const std::uint32_t package = die / pattern.dies_per_package();
    const std::uint32_t die_of_package = die % pattern.dies_per_package();
    Location& at =
        locations.emplace_back(Location{package / pattern.packages, package % pattern.packages,
                                        die_of_package, on_core % pattern.cores});
    if (pattern.numa_nodes > 0) at.numa_node = die_of_package / pattern.dies;
  }
  return locations;
}

std::vector<Location> measured_locations(const Profile& profile,
                                         const commgraph::NodeTopology& node) {
  const std::map<std::uint32_t, PuPlace> places = places_by_pu(node);
  const PuPlace elsewhere{{0, Location::kSeveral, Location::kSeveral}, 0};
  std::map<std::string_view, std::uint32_t> node_numbers;
  std::vector<Location> locations;
  for (const RankRecord& record : profile.rank_records) {
    const auto number = static_cast<std::uint32_t>(node_numbers.size());
    const std::vector<std::uint32_t> pus = record.pus.members();
    std::optional<Location> location;
    std::size_t pus_of_core = 0;
    for (const std::uint32_t pu : pus) {
      const auto found = places.find(pu);
      const PuPlace& place = found == places.end() ? elsewhere : found->second;
      location = location ? at_either(*location, place.location) : place.location;
      pus_of_core = place.pus_of_core;
    }
    // Who may use all of a core has it to itself, as far as its other PUs go.
    if (location && pus.size() == pus_of_core) location->core = Location::kSeveral;
    locations.push_back(location.value_or(elsewhere.location));
    locations.back().node = node_numbers.emplace(record.node, number).first->second;
  }
  return locations;
}

namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

// Things that ranks share, outermost first, and the levels on which they do.
Place core_of(const Location& at) {
  return {at.node, at.package, at.die, at.core};
}
Place die_of(const Location& at) {
  return {at.node, at.package, at.die, 0};
}
Place numa_node_of(const Location& at) {
  return {at.node, at.package, at.numa_node, 0};
}
Place package_of(const Location& at) {
  return {at.node, at.package, 0, 0};
}

}  // namespace

void sort_by_place(std::vector<Location>& locations) {
  const auto before = [](const Location& a, const Location& b) { return core_of(a) < core_of(b); };
  if (!std::is_sorted(locations.begin(), locations.end(), before))
    std::sort(locations.begin(), locations.end(), before);
}

Pattern covering_pattern(const std::vector<Location>& sorted) {
  Pattern pattern;
  Pattern here;  // of the node, package, NUMA node, die and core that the rank is on
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Location& at = sorted[i];
    const Location* const before = i == 0 ? nullptr : &sorted[i - 1];
    const auto same = [&](Place (*level)(const Location&)) {
      return before != nullptr && level(*before) == level(at);
    };
    const bool has_numa = at.numa_node != Location::kNone;
    const bool same_node = before != nullptr && before->node == at.node;
    const bool same_package = same(package_of);
    const bool same_numa = same(numa_node_of);
    const bool same_die = same(die_of);
    // A rank that may use several cores has one to itself.
    const bool same_core = at.core != Location::kSeveral && same(core_of);
    const auto next = [](std::uint32_t& count, bool same_outside, bool same_here) {
      count = same_outside ? count + (same_here ? 0 : 1) : 1;
    };
    next(here.packages, same_node, same_package);
    next(here.numa_nodes, same_package, same_numa);
    if (!has_numa) here.numa_nodes = 0;
    next(here.dies, has_numa ? same_numa : same_package, same_die);
    next(here.cores, same_die, same_core);
    next(here.pus, same_core, false);
    pattern = holding_both(pattern, here);
  }
  return pattern;
}

bool at_most_as_dense(const Sharing& sharing, const Sharing& other) {
  const bool both_know = sharing.numa_node != 0 && other.numa_node != 0;
  return sharing.core <= other.core && sharing.die <= other.die &&
         (!both_know || sharing.numa_node <= other.numa_node) && sharing.package <= other.package &&
         sharing.node <= other.node;
}

double times_apart(const Sharing& a, const Sharing& b) {
  const auto ratio = [](std::uint32_t x, std::uint32_t y) {
    return static_cast<double>(std::max(x, y)) / std::min(x, y);
  };
  const bool both_know = a.numa_node != 0 && b.numa_node != 0;
  return ratio(a.core, b.core) * ratio(a.die, b.die) *
         (both_know ? ratio(a.numa_node, b.numa_node) : 1) * ratio(a.package, b.package) *
         ratio(a.node, b.node);
}

Sharing sharing_of(const Pattern& pattern) {
  Sharing sharing{pattern.ranks_per_die(), pattern.ranks_per_package(), pattern.ranks_per_node(),
                  pattern.pus};
  if (pattern.numa_nodes > 0) sharing.numa_node = pattern.dies * pattern.ranks_per_die();
  return sharing;
}

std::optional<Pattern> pattern_with(const Sharing& sharing) {
  const std::uint32_t group = sharing.numa_node != 0 ? sharing.numa_node : sharing.package;
  if (sharing.die % sharing.core != 0 || group % sharing.die != 0 || sharing.package % group != 0 ||
      sharing.node % sharing.package != 0)
    return {};
  Pattern pattern{sharing.node / sharing.package, group / sharing.die, sharing.die / sharing.core,
                  sharing.core};
  if (sharing.numa_node != 0) pattern.numa_nodes = sharing.package / group;
  return pattern;
}

std::optional<std::vector<Sharing>> sharings_of(const std::vector<Location>& locations) {
  std::map<Place, std::uint32_t> on_core;
  std::map<Place, std::uint32_t> on_die;
  std::map<Place, std::uint32_t> on_numa_node;
  std::map<Place, std::uint32_t> on_package;
  std::map<std::uint32_t, std::uint32_t> on_node;
  for (const Location& at : locations) {
    if (at.package == Location::kSeveral || at.die == Location::kSeveral) return {};
    if (at.core != Location::kSeveral) ++on_core[core_of(at)];
    ++on_die[die_of(at)];
    if (at.numa_node != Location::kNone) ++on_numa_node[numa_node_of(at)];
    ++on_package[package_of(at)];
    ++on_node[at.node];
  }
  std::vector<Sharing> sharings;
  sharings.reserve(locations.size());
  for (const Location& at : locations) {
    Sharing& sharing = sharings.emplace_back(
        Sharing{on_die.at(die_of(at)), on_package.at(package_of(at)), on_node.at(at.node)});
    // The operating system gives those that may use several cores one each.
    if (at.core != Location::kSeveral) sharing.core = on_core.at(core_of(at));
    if (at.numa_node != Location::kNone) sharing.numa_node = on_numa_node.at(numa_node_of(at));
  }
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

}  // namespace huddle::predict
