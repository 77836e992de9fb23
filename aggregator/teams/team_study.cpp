#include "aggregator/teams/team_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::teams {
namespace {

/// The same without the options that were not measured.
hybrid::TeamProgram measured_part(hybrid::TeamProgram program) {
  hybrid::for_each_region(program, [](auto, auto, auto, hybrid::TeamRegion& region) {
    std::erase_if(region.options,
                  [](const hybrid::TeamOption& option) { return !option.measured; });
  });
  return program;
}

struct ChosenForRank {
  std::vector<throttling::RegionCores> choices;
  std::vector<throttling::GroupClock> clocks;
  std::uint64_t anchor = 0;

  friend bool operator==(const ChosenForRank&, const ChosenForRank&) = default;
};

// Down to a whole kHz: it is the most that a clock may be.
throttling::GroupClock clock_of(const hybrid::TeamRow& row) {
  return {row.group, static_cast<std::uint32_t>(row.after.clock.value / 1e3)};
}

throttling::ChosenByRank chosen_in(const hybrid::TeamProgram& program, const TeamStudy& study,
                                   double bound) {
  std::map<std::uint32_t, std::vector<const hybrid::TeamRow*>> by_rank;
  for (const hybrid::TeamRow& row : study.rows) by_rank[row.rank].push_back(&row);
  std::map<std::uint32_t, ChosenForRank> of_ranks;
  for (const hybrid::TeamRank& rank : program.ranks) {
    ChosenForRank& mine = of_ranks[rank.rank.value];
    mine.choices = choices_of_rank(by_rank[rank.rank.value]);
    if (std::ranges::any_of(mine.choices, [](const auto& one) { return one.context != 0; }))
      mine.anchor = rank.anchor;
  }
  for (const hybrid::TeamRow& row : study.clocks.rows)
    of_ranks[row.rank].clocks.push_back(clock_of(row));
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
  throttling::ChosenByRank chosen;
  chosen.bound = bound;
  for (auto& [of_rank, ranks] : alike)
    chosen.teams.push_back({RankSet(std::move(ranks)), std::move(of_rank.choices),
                            std::move(of_rank.clocks), of_rank.anchor});
  return chosen;
}

TeamStudy study_of(const hybrid::TeamProgram& program, hybrid::TeamPlan plan, double bound) {
  TeamStudy study;
  study.plan = std::move(plan);
  hybrid::for_each_region(
      program, [&](auto rank, auto group, auto i, const hybrid::TeamRegion& region) {
        if (region.id == 0) return;
        study.rows.push_back(study.plan.rows[rank][group][i]);
        const auto known = static_cast<std::size_t>(
            std::ranges::count(region.options, true, &hybrid::TeamOption::measured));
        study.measured_options += known - 1;
        study.predicted_options += region.options.size() - known;
        const std::uint32_t usual = region.options[region.reference].configuration.threads;
        study.smaller_options += static_cast<std::size_t>(
            std::ranges::count_if(region.options, [&](const hybrid::TeamOption& option) {
              return option.configuration.threads < usual;
            }));
      });
  study.chosen = chosen_in(program, study, bound);
  return study;
}

bool is_meant(const TeamWhatIf& wish, const hybrid::TeamRegion& region) {
  return region.name.find(wish.region) != std::string::npos ||
         fmt::format("{:x}", region.id) == wish.region;
}

/// The options that are known, at a lower clock: what takes longer by as much as the clock is lower
/// takes the most that it can.
void add_lower_clock(const TeamWhatIf& wish, hybrid::TeamRegion& region,
                     const hybrid::TeamNode& node) {
  const bool is_lower = wish.clock.value > 0 && wish.clock < node.nominal * (1 - 1e-3);
  if (!is_lower || wish.clock < node.power.front().clock * (1 - 1e-3)) return;
  const std::vector<hybrid::TeamOption> known = region.options;
  for (hybrid::TeamOption option : known) {
    if (option.configuration.cores != wish.cores || option.configuration.clock != node.nominal)
      continue;
    option.configuration.clock = wish.clock;
    option.seconds = option.seconds * (node.nominal / wish.clock);
    option.measured = false;
    option.tried = 0;
    region.options.push_back(option);
  }
}

/// The option for a wish: of as many cores the one on the fewest packages.
std::size_t option_for(const TeamWhatIf& wish, const hybrid::TeamRegion& region, Hertz nominal) {
  std::string there;
  for (std::size_t option = 0; option < region.options.size(); ++option) {
    const hybrid::TeamConfiguration& configuration = region.options[option].configuration;
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

}  // namespace

TeamStudy study_teams(const hybrid::TeamProgram& program,
                      const hybrid::TeamStrategyOptions& options, bool measured_only) {
  const hybrid::TeamProgram part = measured_only ? measured_part(program) : program;
  TeamStudy study = study_of(part, hybrid::choose_teams(part, options), options.slowdown_bound);
  if (std::ranges::any_of(study.chosen.teams,
                          [](const throttling::TeamsOfRanks& one) { return one.anchor != 0; })) {
    study.clocks.reason =
        "cores were chosen by position in a period, and a clock would be a group's at all of them";
    return study;
  }
  study.clocks = choose_group_clocks(part, study.plan, options);
  study.chosen = chosen_in(part, study, options.slowdown_bound);
  return study;
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

TeamStudy study_what_if(const hybrid::TeamProgram& given, const std::vector<TeamWhatIf>& what_if,
                        double slowdown_bound) {
  hybrid::TeamProgram program = given;
  hybrid::TeamChoice choice = hybrid::reference_choice(program);
  for (const TeamWhatIf& wish : what_if) {
    bool found = false;
    hybrid::for_each_region(
        program, [&](auto rank, auto group, auto i, hybrid::TeamRegion& region) {
          if (region.id == 0 || !is_meant(wish, region)) return;
          add_lower_clock(wish, region, program.node);
          choice[rank][group][i] = option_for(wish, region, program.node.nominal);
          found = true;
        });
    if (found) continue;
    std::set<std::string> names;
    hybrid::for_each_region(program, [&](auto, auto, auto, const hybrid::TeamRegion& region) {
      if (region.id != 0) names.insert(region.name);
    });
    throw Error(fmt::format("no region has \"{}\" in its name; there are: {}",
                            shortened(wish.region), fmt::join(names, ", ")));
  }
  return study_of(program, hybrid::plan_of_choice(program, std::move(choice), slowdown_bound),
                  slowdown_bound);
}

}  // namespace huddle::teams
