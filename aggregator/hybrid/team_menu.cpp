#include "aggregator/hybrid/team_menu.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {
namespace {

/// Over how many packages a number of a rank's cores can be spread.
std::set<std::uint32_t> spreads(std::uint32_t cores, const TeamRank& rank, const TeamNode& node) {
  std::set<std::uint32_t> result;
  for (std::uint32_t packages = 1; packages <= std::min(cores, node.packages); ++packages) {
    std::set<std::uint32_t> used;
    for (const std::uint32_t core : cores_of_team({cores, cores, packages, {}}, rank, node))
      used.insert(node.package_of(core));
    // The least number that holds them comes out whatever is asked for below it.
    const auto got = static_cast<std::uint32_t>(used.size());
    if (got == packages ? cores % packages == 0 || result.empty() : result.empty())
      result.insert(got);
  }
  return result;
}

}  // namespace

std::vector<TeamConfiguration> team_configurations(std::uint32_t threads, const TeamRank& rank,
                                                   const TeamNode& node,
                                                   std::span<const Hertz> clocks, TeamSizes sizes) {
  std::set<TeamConfiguration> result;
  const auto most = std::min<std::uint32_t>(threads, static_cast<std::uint32_t>(rank.cores.size()));
  for (std::uint32_t cores = 1; cores <= most; ++cores) {
    const bool packs = threads % cores == 0 || cores == most;
    if (!packs && sizes == TeamSizes::kKept) continue;
    for (const std::uint32_t packages : spreads(cores, rank, node))
      for (const Hertz clock : clocks) {
        if (packs) result.insert({threads, cores, packages, clock});
        if (sizes == TeamSizes::kMayShrink) result.insert({cores, cores, packages, clock});
      }
  }
  return {result.begin(), result.end()};
}

}  // namespace huddle::hybrid
