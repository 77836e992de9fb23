#include "aggregator/teams/team_row.hpp"

namespace huddle {

TeamRow row_of(const TeamProgram& program, const TeamPlan& plan, std::size_t r, std::size_t g,
               std::size_t i) {
  const TeamRegion& region = program.ranks[r].groups[g].regions[i];
  const TeamDecision& decision = plan.decisions[r][g][i];
  const TeamOption& option = region.options[decision.option];
  TeamRow row;
  row.rank = program.ranks[r].rank.value;
  row.group = program.groups[g].id;
  row.region = region.id;
  row.name = region.name;
  row.passes = region.passes;
  row.before = region.options[region.reference].configuration;
  row.after = decision.configuration;
  row.pass_before = decision.time_before * (1 / region.passes);
  row.pass_after = decision.time_after * (1 / region.passes);
  row.pass_most = row.pass_after * (1 + option.error);
  row.energy_before = decision.energy_before;
  row.energy_after = decision.energy_after;
  row.measured = option.measured;
  row.reason = decision.reason;
  row.where = region.where;
  return row;
}

}  // namespace huddle
