#include "aggregator/teams/teams_for_ranks.hpp"

#include <algorithm>
#include <utility>

#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/team_study.hpp"

namespace huddle::teams {
namespace {

// "Nothing changes: ..." and the like become part of a sentence.
std::string as_phrase(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  if (!sentence.empty() && sentence.front() >= 'A' && sentence.front() <= 'Z')
    sentence.front() = static_cast<char>(sentence.front() - 'A' + 'a');
  return sentence;
}

double energy_x_time(Joules energy, Seconds time) {
  return energy.value * time.value;
}

bool cores_lower_energy_x_time(const hybrid::TeamPlan& plan) {
  return energy_x_time(plan.after.energy, plan.after.time) <
         energy_x_time(plan.before.energy, plan.before.time);
}

bool clocks_lower_energy_x_time(const TeamStudy& study) {
  const hybrid::TeamPrediction& after = study.plan.after;
  return energy_x_time(after.energy - study.clocks.saved,
                       after.time + study.clocks.longer_at_most) <
         energy_x_time(after.energy, after.time);
}

void leave_clocks_out(throttling::ChosenByRank& chosen) {
  for (throttling::TeamsOfRanks& part : chosen.teams) part.clocks.clear();
  std::erase_if(chosen.teams,
                [](const throttling::TeamsOfRanks& part) { return part.choices.empty(); });
}

TeamsForRanks carried_out(TeamStudy study, const TeamOrder& order) {
  TeamsForRanks teams;
  teams.chosen.bound = order.bound;
  teams.reason = as_phrase(study.plan.reason);
  if (!study.plan.within_bound) {
    teams.reason = "no choice of fewer cores keeps the slowdown bound";
    return teams;
  }
  if (order.weighs_time && !cores_lower_energy_x_time(study.plan)) {
    if (study.plan.changes) teams.reason = "fewer cores do not lower energy x time";
    return teams;
  }
  teams.chosen = std::move(study.chosen);
  if (order.is_one_rank || (order.weighs_time && !clocks_lower_energy_x_time(study)))
    leave_clocks_out(teams.chosen);
  else if (!study.clocks.rows.empty() && !teams.chosen.teams.empty())
    teams.reason += "; " + study.clocks.reason;
  return teams;
}

bool has_positions(const Profile& profile) {
  return std::ranges::any_of(profile.rank_records, [](const RankRecord& rank) {
    return !rank.region_positions.as_started.empty();
  });
}

// As if all passes of a region took as long: that is a shorter line.
Profile without_positions(Profile profile) {
  for (RankRecord& rank : profile.rank_records) rank.region_positions = {};
  return profile;
}

}  // namespace

TeamsForRanks choose_for_ranks(const Profile& profile, const Machine& machine,
                               const TeamOrder& order) {
  hybrid::TeamProgram program = teams_of_profile(profile, machine, {}, order.may_shrink);
  if (order.is_one_rank) keep_shared_parts_busy(program);
  hybrid::TeamStrategyOptions options;
  options.slowdown_bound = order.bound;
  TeamsForRanks teams = carried_out(study_teams(program, options, true), order);
  if (text_of(teams.chosen).size() <= throttling::kMostTeamsText) return teams;
  if (has_positions(profile)) return choose_for_ranks(without_positions(profile), machine, order);
  teams.chosen.teams.clear();
  teams.reason = "what was chosen for its ranks is too long for a variable";
  return teams;
}

}  // namespace huddle::teams
