#include "aggregator/teams/teams_for_ranks.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "aggregator/hybrid/team_prediction.hpp"

namespace huddle::teams {
namespace {

/// Cores of nobody in the parts that the rank has in common with others: one for each such die, or
/// one in its package.
std::vector<std::uint32_t> cores_of_others(const hybrid::TeamRank& rank,
                                           const hybrid::TeamNode& node) {
  const std::set<std::uint32_t> own(rank.cores.begin(), rank.cores.end());
  const auto first_free = [&](std::uint32_t begin, std::uint32_t count) {
    std::optional<std::uint32_t> found;
    for (std::uint32_t core = begin; core < begin + count && !found; ++core)
      if (!own.contains(core)) found = core;
    return found;
  };
  const auto has_own = [&](std::uint32_t begin, std::uint32_t count) {
    const auto next = own.lower_bound(begin);
    return next != own.end() && *next < begin + count;
  };
  const std::uint32_t of_package = node.cores_per_package();
  std::vector<std::uint32_t> cores;
  for (std::uint32_t package = 0; package < node.packages; ++package) {
    const std::uint32_t begin = package * of_package;
    const auto in_package = first_free(begin, of_package);
    if (!in_package || !has_own(begin, of_package)) continue;
    bool shares_a_die = false;
    for (std::uint32_t die = 0; die < node.dies_per_package; ++die) {
      const std::uint32_t first = begin + die * node.cores_per_die;
      const auto in_die = first_free(first, node.cores_per_die);
      if (!in_die || !has_own(first, node.cores_per_die)) continue;
      cores.push_back(*in_die);
      shares_a_die = true;
    }
    if (!shares_a_die) cores.push_back(*in_package);
  }
  return cores;
}

/// The work on such a core. It is half as long as the rank's, so that nobody waits for it; then it
/// waits, and who waits keeps its core busy.
hybrid::TeamGroupOfRank busy_with_others(Seconds group, double passes, Hertz clock) {
  hybrid::TeamGroupOfRank made;
  if (group.value <= 0) return made;
  hybrid::TeamRegion region;
  region.name = "others on the package";
  region.passes = region.entries = passes;
  region.options = {{{1, 1, 1, clock}, group * (0.5 / passes), 0}};
  made.regions.push_back(std::move(region));
  return made;
}

}  // namespace

void keep_shared_parts_busy(hybrid::TeamProgram& program) {
  const hybrid::TeamPrediction as_it_ran =
      hybrid::predict_team_program(program, hybrid::reference_choice(program));
  for (const std::uint32_t core : cores_of_others(program.ranks.front(), program.node)) {
    hybrid::TeamRank others;
    others.rank.value = static_cast<std::uint32_t>(program.ranks.size());
    others.node = program.ranks.front().node;
    others.cores = {core};
    for (std::size_t g = 0; g < program.groups.size(); ++g)
      others.groups.push_back(
          busy_with_others(as_it_ran.groups[g], program.groups[g].passes, program.node.nominal));
    program.ranks.push_back(std::move(others));
  }
}

}  // namespace huddle::teams
