#include "aggregator/teams/team_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "aggregator/teams/rank_choices.hpp"
#include "profiles/throttling/team_cores.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

/// The same without the options that were not measured.
ProfileTeams measured_part(const ProfileTeams& teams) {
  ProfileTeams part = teams;
  for (std::size_t r = 0; r < teams.program.ranks.size(); ++r)
    for (std::size_t g = 0; g < teams.groups.size(); ++g) {
      auto& regions = part.program.ranks[r].groups[g].regions;
      for (std::size_t i = 0; i < regions.size(); ++i) {
        std::vector<TeamOption> kept;
        for (std::size_t option = 0; option < regions[i].options.size(); ++option)
          if (teams.measured[r][g][i][option]) kept.push_back(regions[i].options[option]);
        regions[i].options = std::move(kept);
        part.measured[r][g][i].assign(regions[i].options.size(), true);
      }
    }
  return part;
}

template <class Visit>
void for_each_region(const ProfileTeams& teams, const Visit& visit) {
  for (std::size_t r = 0; r < teams.program.ranks.size(); ++r)
    for (std::size_t g = 0; g < teams.groups.size(); ++g)
      for (std::size_t i = 0; i < teams.regions[r][g].size(); ++i)
        if (teams.regions[r][g][i] != 0) visit(r, g, i);
}

TeamRow row_of(const ProfileTeams& teams, const TeamPlan& plan, std::size_t r, std::size_t g,
               std::size_t i) {
  const TeamRegion& region = teams.program.ranks[r].groups[g].regions[i];
  const TeamDecision& decision = plan.decisions[r][g][i];
  const TeamOption& option = region.options[decision.option];
  TeamRow row;
  row.rank = teams.program.ranks[r].rank.value;
  row.group = teams.groups[g];
  row.region = teams.regions[r][g][i];
  row.name = region.name;
  row.passes = region.passes;
  row.before = region.options[region.reference].configuration;
  row.after = decision.configuration;
  row.pass_before = decision.time_before * (1 / region.passes);
  row.pass_after = decision.time_after * (1 / region.passes);
  row.pass_most = row.pass_after * (1 + option.error);
  row.energy_before = decision.energy_before;
  row.energy_after = decision.energy_after;
  row.measured = teams.measured[r][g][i][decision.option];
  row.reason = decision.reason;
  if (const auto where = teams.positions.find({r, g, i}); where != teams.positions.end()) {
    row.where = where->second;
    row.anchor = teams.anchors[r];
  }
  return row;
}

struct ChosenForRank {
  std::vector<RegionCores> choices;
  std::vector<GroupClock> clocks;
  std::uint64_t anchor = 0;

  friend bool operator==(const ChosenForRank&, const ChosenForRank&) = default;
};

// Down to a whole kHz: it is the most that a clock may be.
GroupClock clock_of(const GroupClockRow& row) {
  return {row.group, static_cast<std::uint32_t>(row.after.value / 1e3)};
}

ChosenByRank chosen_in(const std::vector<TeamRow>& rows, const GroupClocks& clocks, double bound) {
  std::map<std::uint32_t, std::vector<const TeamRow*>> by_rank;
  for (const TeamRow& row : rows) by_rank[row.rank].push_back(&row);
  std::map<std::uint32_t, ChosenForRank> of_ranks;
  for (const auto& [rank, of_rank] : by_rank) {
    ChosenForRank& mine = of_ranks[rank];
    mine.choices = choices_of_rank(of_rank);
    if (std::ranges::any_of(mine.choices, [](const auto& one) { return one.context != 0; }))
      for (const TeamRow* row : of_rank) mine.anchor = std::max(mine.anchor, row->anchor);
  }
  for (const GroupClockRow& row : clocks.rows) of_ranks[row.rank].clocks.push_back(clock_of(row));
  std::vector<std::pair<ChosenForRank, std::vector<std::uint32_t>>> alike;
  for (auto& [rank, of_rank] : of_ranks) {
    if (of_rank == ChosenForRank()) continue;
    const ChosenForRank& mine = of_rank;
    const auto found =
        std::ranges::find_if(alike, [&](const auto& other) { return other.first == mine; });
    if (found != alike.end())
      found->second.push_back(rank);
    else
      alike.push_back({std::move(of_rank), {rank}});
  }
  ChosenByRank chosen;
  chosen.bound = bound;
  for (auto& [of_rank, ranks] : alike)
    chosen.teams.push_back({RankSet(std::move(ranks)), std::move(of_rank.choices),
                            std::move(of_rank.clocks), of_rank.anchor});
  return chosen;
}

TeamStudy study_of(const ProfileTeams& teams, TeamPlan plan, GroupClocks clocks, double bound) {
  TeamStudy study;
  study.plan = std::move(plan);
  study.clocks = std::move(clocks);
  for_each_region(teams, [&](std::size_t r, std::size_t g, std::size_t i) {
    study.rows.push_back(row_of(teams, study.plan, r, g, i));
    const std::vector<bool>& measured = teams.measured[r][g][i];
    const auto known = static_cast<std::size_t>(std::ranges::count(measured, true));
    study.measured_options += known - 1;
    const TeamRegion& region = teams.program.ranks[r].groups[g].regions[i];
    const std::uint32_t usual = region.options[region.reference].configuration.threads;
    study.smaller_options += static_cast<std::size_t>(std::ranges::count_if(
        region.options,
        [&](const TeamOption& option) { return option.configuration.threads < usual; }));
    study.predicted_options += measured.size() - known;
  });
  study.chosen = chosen_in(study.rows, study.clocks, bound);
  return study;
}

bool is_meant(const TeamWhatIf& wish, const TeamRegion& region, std::uint64_t id) {
  return region.name.find(wish.region) != std::string::npos ||
         fmt::format("{:x}", id) == wish.region;
}

/// The options that are known, at a lower clock: what takes longer by as much as the clock is lower
/// takes the most that it can.
void add_lower_clock(const TeamWhatIf& wish, TeamRegion& region, std::vector<bool>& measured,
                     const TeamNode& node) {
  const bool is_lower = wish.clock.value > 0 && wish.clock < node.nominal * (1 - 1e-3);
  if (!is_lower || wish.clock < node.power.front().clock * (1 - 1e-3)) return;
  const std::vector<TeamOption> known = region.options;
  for (TeamOption option : known) {
    if (option.configuration.cores != wish.cores || option.configuration.clock != node.nominal)
      continue;
    option.configuration.clock = wish.clock;
    option.seconds = option.seconds * (node.nominal / wish.clock);
    region.options.push_back(option);
    measured.push_back(false);
  }
}

/// The option for a wish: of as many cores the one on the fewest packages.
std::size_t option_for(const TeamWhatIf& wish, const TeamRegion& region, Hertz nominal) {
  std::string there;
  for (std::size_t option = 0; option < region.options.size(); ++option) {
    const TeamConfiguration& configuration = region.options[option].configuration;
    const double wanted = wish.clock.value > 0 ? wish.clock.value : nominal.value;
    if (configuration.cores == wish.cores &&
        std::abs(configuration.clock.value - wanted) <= 1e-3 * wanted)
      return option;
    there += fmt::format("{}{}@{:.2f}", there.empty() ? "" : ", ", configuration.cores,
                         configuration.clock.value / 1e9);
  }
  throw Error(fmt::format("{} on {} cores at {:.2f} GHz: no time is known of that; known: {}",
                          region.name, wish.cores,
                          (wish.clock.value > 0 ? wish.clock : nominal).value / 1e9, there));
}

/// What these cores draw for so long beyond an idle node, as if nothing else ran on their packages.
/// By the power of the next clock that is known.
Joules busy_energy(const TeamNode& node, const TeamConfiguration& configuration,
                   const std::vector<std::uint32_t>& cores, Seconds time) {
  const auto point = std::ranges::find_if(node.power, [&](const TeamPowerPoint& one) {
    return one.clock >= configuration.clock * (1 - 1e-9);
  });
  const TeamPowerPoint& power = point == node.power.end() ? node.power.back() : *point;
  std::set<std::uint32_t> dies;
  std::set<std::uint32_t> packages;
  for (const std::uint32_t core : cores) {
    dies.insert(core / node.cores_per_die);
    packages.insert(core / (node.cores_per_die * node.dies_per_package));
  }
  const double watts = power.package.value * static_cast<double>(packages.size()) +
                       power.die.value * static_cast<double>(dies.size()) +
                       power.core.value * static_cast<double>(cores.size());
  return {watts * time.value};
}

/// What a strategy would have said of the choice.
TeamPlan plan_of(const TeamProgram& program, TeamChoice choice, double bound) {
  TeamPlan plan = choose_teams(program, {.least_gain = 1e9});  // everything as it is
  plan.after = predict_team_program(program, choice);
  for (std::size_t r = 0; r < program.ranks.size(); ++r)
    for (std::size_t g = 0; g < program.groups.size(); ++g)
      for (std::size_t i = 0; i < choice[r][g].size(); ++i) {
        const TeamRegion& region = program.ranks[r].groups[g].regions[i];
        TeamDecision& decision = plan.decisions[r][g][i];
        if (decision.option == choice[r][g][i]) continue;
        const TeamOption& option = region.options[choice[r][g][i]];
        decision.option = choice[r][g][i];
        decision.configuration = option.configuration;
        decision.cores = cores_of_team(option.configuration, program.ranks[r], program.node);
        decision.time_after = option.seconds * region.passes;
        decision.energy_after =
            busy_energy(program.node, decision.configuration, decision.cores, decision.time_after);
        decision.reason = "Asked for.";
      }
  plan.changes = choice != plan.choice;
  plan.choice = std::move(choice);
  plan.within_bound = plan.after.time_at_most <= plan.before.time * (1 + bound);
  plan.reason = fmt::format("asked for: {:+.2f} % time, {:+.2f} % energy",
                            100 * (plan.after.time / plan.before.time - 1),
                            100 * (plan.after.energy / plan.before.energy - 1));
  return plan;
}

}  // namespace

TeamStudy study_teams(const ProfileTeams& teams, const TeamStrategyOptions& options,
                      bool measured_only) {
  const ProfileTeams part = measured_only ? measured_part(teams) : teams;
  TeamPlan plan = choose_teams(part.program, options);
  TeamStudy by_position = study_of(part, plan, {}, options.slowdown_bound);
  if (std::ranges::any_of(by_position.chosen.teams,
                          [](const TeamsOfRanks& one) { return one.anchor != 0; })) {
    by_position.clocks.reason =
        "cores were chosen by position in a period, and a clock would be a group's at all of them";
    return by_position;
  }
  GroupClocks clocks = choose_group_clocks(part, plan, options);
  return study_of(part, std::move(plan), std::move(clocks), options.slowdown_bound);
}

TeamWhatIf parse_team_what_if(const std::string& text, const std::string& option) {
  const std::size_t equals = text.rfind('=');
  const std::size_t at = text.find('@', equals == std::string::npos ? 0 : equals);
  const auto fail = [&]() -> TeamWhatIf {
    throw UsageError(fmt::format(
        "{}: found \"{}\", expected REGION=CORES or REGION=CORES@GHZ, such as solve=4@2.1", option,
        shortened(text)));
  };
  if (equals == std::string::npos || equals == 0) return fail();
  TeamWhatIf wish;
  wish.region = text.substr(0, equals);
  const char* const end_of_cores = text.data() + std::min(at, text.size());
  const auto cores = std::from_chars(text.data() + equals + 1, end_of_cores, wish.cores);
  if (cores.ec != std::errc() || cores.ptr != end_of_cores || wish.cores == 0) return fail();
  if (at == std::string::npos) return wish;
  const char* const end = text.data() + text.size();
  double ghz = 0;
  const auto clock = std::from_chars(text.data() + at + 1, end, ghz);
  if (clock.ec != std::errc() || clock.ptr != end || !(ghz > 0 && ghz < 1000)) return fail();
  wish.clock.value = ghz * 1e9;
  return wish;
}

TeamStudy study_what_if(const ProfileTeams& given, const std::vector<TeamWhatIf>& what_if,
                        double slowdown_bound) {
  ProfileTeams teams = given;
  TeamChoice choice = reference_choice(teams.program);
  for (const TeamWhatIf& wish : what_if) {
    bool found = false;
    for_each_region(teams, [&](std::size_t r, std::size_t g, std::size_t i) {
      TeamRegion& region = teams.program.ranks[r].groups[g].regions[i];
      if (!is_meant(wish, region, teams.regions[r][g][i])) return;
      add_lower_clock(wish, region, teams.measured[r][g][i], teams.program.node);
      choice[r][g][i] = option_for(wish, region, teams.program.node.nominal);
      found = true;
    });
    if (found) continue;
    std::set<std::string> names;
    for_each_region(teams, [&](std::size_t r, std::size_t g, std::size_t i) {
      names.insert(teams.program.ranks[r].groups[g].regions[i].name);
    });
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw Error(fmt::format("no region has \"{}\" in its name; there are: {}",
                            shortened(wish.region), list));
  }
  return study_of(teams, plan_of(teams.program, std::move(choice), slowdown_bound), {},
                  slowdown_bound);
}

}  // namespace huddle
