#include "aggregator/chooser/rank_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "aggregator/teams/team_study.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/throttling/team_prediction.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

/// Cores of nobody in the parts that the rank has in common with others: one for each such die, or
/// one in its package.
std::vector<std::uint32_t> cores_of_others(const TeamRank& rank, const TeamNode& node) {
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
  const std::uint32_t of_package = node.dies_per_package * node.cores_per_die;
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

/// What is on such a core. Half as long as the rank takes, so that nobody waits for it; then it
/// waits, and who waits keeps its core busy.
TeamGroupOfRank busy_with_others(Seconds group, double passes, Hertz clock) {
  TeamGroupOfRank made;
  if (group.value <= 0) return made;
  TeamRegion region;
  region.name = "others on the package";
  region.passes = region.entries = passes;
  region.options = {{{1, 1, 1, clock}, group * (0.5 / passes), 0}};
  made.regions.push_back(std::move(region));
  return made;
}

// One pass says nothing of how much passes differ. A plan that is made later may have others' times
// of the region, too.
Profile with_repeated_trials(Profile profile) {
  constexpr std::uint64_t kFewestTried = 2;
  constexpr std::uint64_t kFewestUsual = 3;
  for (RankRecord& rank : profile.rank_records) {
    std::erase_if(rank.packed_regions, [](const PackedRegionRecord& tried) {
      return tried.passes < kFewestTried || tried.usual_passes < kFewestUsual;
    });
    std::erase_if(rank.region_positions.packed,
                  [](const PackedPositionRecord& tried) { return tried.passes < kFewestTried; });
  }
  return profile;
}

std::string nothing_chosen(std::string_view why) {
  std::string line = fmt::format("{}{}", kNothingChosen, why);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

bool lowers_energy_x_time(const TeamPlan& plan) {
  return plan.after.energy * plan.after.time.value < plan.before.energy * plan.before.time.value;
}

}  // namespace

void keep_shared_parts_busy(ProfileTeams& teams) {
  TeamProgram& program = teams.program;
  const TeamPrediction as_it_ran = predict_team_program(program, reference_choice(program));
  const std::vector<std::uint32_t> cores = cores_of_others(program.ranks.front(), program.node);
  for (const std::uint32_t core : cores) {
    TeamRank others;
    others.rank.value = static_cast<std::uint32_t>(program.ranks.size());
    others.node = program.ranks.front().node;
    others.cores = {core};
    auto& ids = teams.regions.emplace_back();
    auto& measured = teams.measured.emplace_back();
    for (std::size_t g = 0; g < program.groups.size(); ++g) {
      others.groups.push_back(
          busy_with_others(as_it_ran.groups[g], program.groups[g].passes, program.node.nominal));
      ids.emplace_back(others.groups.back().regions.size(), 0);
      measured.emplace_back(others.groups.back().regions.size(), std::vector<bool>{true});
    }
    program.ranks.push_back(std::move(others));
  }
}

std::string choice_of_rank(const Profile& profile, const Machine& machine,
                           const ChoiceOrder& order) {
  if (profile.rank_records.size() != 1)
    throw Error(fmt::format("found a profile of {} ranks, expected one of one rank",
                            profile.rank_records.size()));
  ProfileTeams teams = teams_of_profile(with_repeated_trials(profile), machine);
  keep_shared_parts_busy(teams);
  TeamStrategyOptions options;
  options.slowdown_bound = order.bound;
  TeamStudy study = study_teams(teams, options, true);
  if (!study.plan.within_bound)
    return nothing_chosen("no choice of fewer cores keeps the slowdown bound");
  if (order.weighs_time && study.plan.changes && !lowers_energy_x_time(study.plan))
    return nothing_chosen("fewer cores do not lower energy x time");
  // No keeper of clocks is there for a run that has just chosen.
  for (TeamsOfRanks& part : study.chosen.teams) part.clocks.clear();
  std::erase_if(study.chosen.teams, [](const TeamsOfRanks& part) { return part.choices.empty(); });
  if (study.chosen.teams.empty()) return nothing_chosen(study.plan.reason);
  std::string line = text_of(study.chosen);
  if (line.size() > kMostTeamsText) return nothing_chosen("what was chosen is too long");
  return line;
}

}  // namespace huddle
