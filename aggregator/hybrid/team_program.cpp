#include "aggregator/hybrid/team_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiles/vocabulary/error.hpp"

namespace huddle::hybrid {

TeamChoice reference_choice(const TeamProgram& program) {
  TeamChoice choice(program.ranks.size());
  for (std::size_t r = 0; r < program.ranks.size(); ++r)
    for (const TeamGroupOfRank& group : program.ranks[r].groups) {
      choice[r].emplace_back();
      for (const TeamRegion& region : group.regions) choice[r].back().push_back(region.reference);
    }
  return choice;
}

std::vector<std::uint32_t> cores_of_team(const TeamConfiguration& configuration,
                                         const TeamRank& rank, const TeamNode& node) {
  if (configuration.cores < 1 || configuration.cores > rank.cores.size())
    throw Error(fmt::format("rank {}: a configuration has {} cores; expected: 1 to {}",
                            rank.rank.value, configuration.cores, rank.cores.size()));
  // Ascending cores are in the order of packages, and of dies inside each.
  std::map<std::uint32_t, std::vector<std::uint32_t>> packages;
  for (const std::uint32_t core : rank.cores) packages[node.package_of(core)].push_back(core);
  const std::size_t wanted = std::clamp<std::size_t>(configuration.packages, 1, packages.size());

  // As many of each package, one by one, passing those that have no more; if the first `wanted`
  // don't suffice, the next ones help.
  std::vector<std::size_t> taken(packages.size(), 0);
  std::size_t left = configuration.cores;
  for (std::size_t open = wanted; left > 0; ++open) {
    bool progress = true;
    while (left > 0 && progress) {
      progress = false;
      auto package = packages.begin();
      for (std::size_t p = 0; p < std::min(open, packages.size()) && left > 0; ++p, ++package)
        if (taken[p] < package->second.size()) {
          ++taken[p];
          --left;
          progress = true;
        }
    }
  }
  std::vector<std::uint32_t> result;
  std::size_t p = 0;
  for (const auto& [number, cores] : packages) {
    result.insert(result.end(), cores.begin(),
                  cores.begin() + static_cast<std::ptrdiff_t>(taken[p]));
    ++p;
  }
  return result;
}

}  // namespace huddle::hybrid
