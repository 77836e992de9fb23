#include "profiles/recorder/moves/packed_placement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace huddle::recorder {
namespace {

using Cores = std::vector<std::uint32_t>;                // indices
using Domain = std::pair<std::uint32_t, std::uint32_t>;  // package, NUMA node

struct Die {
  Cores cores;
  Cores ranks;  // that are on it
};
using Dies = std::map<std::uint32_t, Die>;

Domain domain_of(const PhysicalCore& core) {
  return {core.package, core.numa_node};
}

std::map<Domain, Dies> dies_by_domain(const std::vector<PhysicalCore>& cores,
                                      const NodeRanks& ranks) {
  std::map<Domain, Dies> domains;
  for (std::uint32_t i = 0; i < cores.size(); ++i)
    domains[domain_of(cores[i])][cores[i].die].cores.push_back(i);
  for (std::uint32_t rank = 0; rank < ranks.core_of.size(); ++rank) {
    const PhysicalCore& core = cores[ranks.core_of[rank]];
    domains[domain_of(core)][core.die].ranks.push_back(rank);
  }
  return domains;
}

std::size_t ranks_on(const Dies& dies) {
  std::size_t ranks = 0;
  for (const auto& [number, die] : dies) ranks += die.ranks.size();
  return ranks;
}

bool alike(const std::map<Domain, Dies>& domains) {
  const std::size_t cores = domains.begin()->second.begin()->second.cores.size();
  for (const auto& [domain, dies] : domains)
    for (const auto& [number, die] : dies)
      if (die.cores.size() != cores) return false;
  return true;
}

bool even(const std::map<Domain, Dies>& domains) {
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;
  for (const auto& [domain, dies] : domains) {
    least = std::min(least, ranks_on(dies));
    most = std::max(most, ranks_on(dies));
  }
  return most - least <= 1;
}

bool one_core_each(const std::map<Domain, Dies>& domains, Hold hold) {
  for (const auto& [domain, dies] : domains) {
    const std::size_t size = dies.begin()->second.cores.size();
    if (ranks_on(dies) > dies.size() * size) return false;
    for (const auto& [number, die] : dies)
      if (hold != Hold::kNothing && die.ranks.size() > size) return false;
  }
  return true;
}

// How many dies of a domain the ranks are on now, and how many would hold them.
struct Use {
  std::size_t now = 0;
  std::size_t least = 0;
};

Use use_of(const Dies& dies, Hold hold) {
  const std::size_t ranks = ranks_on(dies);
  const std::size_t size = dies.begin()->second.cores.size();
  Use use;
  use.least = (ranks + size - 1) / size;
  if (hold != Hold::kNothing)
    use.now = static_cast<std::size_t>(std::count_if(
        dies.begin(), dies.end(), [](const auto& die) { return !die.second.ranks.empty(); }));
  else
    use.now = std::min(ranks, dies.size());
  return use;
}

// The dies of a pattern are counted in a package: its fullest one decides.
bool takes_fewer(const std::map<Domain, Dies>& domains, Hold hold) {
  std::map<std::uint32_t, Use> packages;
  for (const auto& [domain, dies] : domains) {
    const Use use = use_of(dies, hold);
    packages[domain.first].now += use.now;
    packages[domain.first].least += use.least;
  }
  Use most;
  for (const auto& [package, use] : packages) {
    if (use.least > use.now) return false;
    most.now = std::max(most.now, use.now);
    most.least = std::max(most.least, use.least);
  }
  return most.least < most.now;
}

// Moves a domain's ranks onto the dies that hold most of them already.
void gather(const Dies& dies, const NodeRanks& ranks, Cores& target) {
  std::vector<const Die*> order;
  for (const auto& [number, die] : dies) order.push_back(&die);
  std::stable_sort(order.begin(), order.end(),
                   [](const Die* a, const Die* b) { return a->ranks.size() > b->ranks.size(); });
  order.resize(use_of(dies, ranks.hold).least);
  std::set<std::uint32_t> free;
  for (const Die* die : order) free.insert(die->cores.begin(), die->cores.end());
  Cores homeless;
  for (const auto& [number, die] : dies)
    for (const std::uint32_t rank : die.ranks) {
      target[rank] = ranks.core_of[rank];
      if (free.erase(target[rank]) == 0) homeless.push_back(rank);
    }
  for (const std::uint32_t rank : homeless) {
    target[rank] = *free.begin();
    free.erase(free.begin());
  }
}

}  // namespace

std::optional<Cores> packed_placement(const std::vector<PhysicalCore>& cores,
                                      const NodeRanks& ranks) {
  if (cores.empty() || ranks.core_of.empty()) return std::nullopt;
  const auto outside = [&](std::uint32_t core) { return core >= cores.size(); };
  if (std::any_of(ranks.core_of.begin(), ranks.core_of.end(), outside)) return std::nullopt;
  const std::set<std::uint32_t> used(ranks.core_of.begin(), ranks.core_of.end());
  if (ranks.hold == Hold::kCore && used.size() < ranks.core_of.size()) return std::nullopt;
  const std::map<Domain, Dies> domains = dies_by_domain(cores, ranks);
  if (!alike(domains) || !one_core_each(domains, ranks.hold)) return std::nullopt;
  if (ranks.hold == Hold::kNothing && !even(domains)) return std::nullopt;
  if (!takes_fewer(domains, ranks.hold)) return std::nullopt;
  Cores target(ranks.core_of.size());
  for (const auto& [domain, dies] : domains) gather(dies, ranks, target);
  return target;
}

Cores widest_cores(const std::vector<PhysicalCore>& cores, std::size_t ranks) {
  std::vector<std::pair<Domain, std::vector<Cores>>> domains;
  NodeRanks nobody;
  for (const auto& [domain, dies] : dies_by_domain(cores, nobody)) {
    domains.emplace_back(domain, std::vector<Cores>());
    for (const auto& [number, die] : dies) domains.back().second.push_back(die.cores);
  }
  Cores places;
  for (std::size_t i = 0; !domains.empty() && i < std::min(ranks, cores.size()); ++i) {
    const std::vector<Cores>& dies = domains[i % domains.size()].second;
    const std::size_t of_domain = i / domains.size();
    const Cores& die = dies[of_domain % dies.size()];
    places.push_back(die[of_domain / dies.size() % die.size()]);
  }
  return places;
}

}  // namespace huddle::recorder
