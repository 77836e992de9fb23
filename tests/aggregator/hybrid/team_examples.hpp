#pragma once

// Small programs with teams, for tests.

#include <string>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {

inline constexpr Hertz kLowClock{1e9};
inline constexpr Hertz kTopClock{2e9};

/// Two packages of two dies of two cores: 100 W idle, a package 20 W, a die 4 W, a core 10 W at the
/// top clock of 2 GHz; 10, 2 and 3 W at 1 GHz.
inline TeamNode example_node() {
  TeamNode node;
  node.packages = 2;
  node.dies_per_package = 2;
  node.cores_per_die = 2;
  node.idle = {100};
  node.power = {{kLowClock, {10}, {2}, {3}}, {kTopClock, {20}, {4}, {10}}};
  node.nominal = kTopClock;
  return node;
}

inline TeamOption option_on(std::uint32_t cores, std::uint32_t packages, double seconds,
                            Hertz clock = kTopClock, std::uint32_t threads = 8) {
  return {{threads, cores, packages, clock}, {seconds}, 0};
}

/// 100 passes; the first option is the reference.
inline TeamRegion region_with(std::string name, std::vector<TeamOption> options) {
  TeamRegion region;
  region.name = std::move(name);
  region.passes = 100;
  region.entries = 100;
  region.options = std::move(options);
  return region;
}

/// Ranks with all 8 cores of a node each, one group of 100 passes, no cost of switching. `regions`
/// by rank.
inline TeamProgram program_of(const std::vector<std::vector<TeamRegion>>& regions) {
  TeamProgram program;
  program.node = example_node();
  program.switching = {{0}, {0}};
  program.groups = {{"loop", 100}};
  for (std::uint32_t number = 0; number < regions.size(); ++number) {
    TeamRank rank;
    rank.rank = {number};
    rank.node = {number};
    rank.cores = {0, 1, 2, 3, 4, 5, 6, 7};
    rank.groups.resize(1);
    rank.groups[0].regions = regions[number];
    program.ranks.push_back(rank);
  }
  return program;
}

}  // namespace huddle::hybrid
