#include "aggregator/hybrid/team_prediction.hpp"

#include <algorithm>

#include "aggregator/hybrid/detail/team_model.hpp"

namespace huddle {
namespace teams {

TeamPrediction predict(const Model& model, const TeamChoice& choice) {
  const std::size_t groups = model.groups();
  TeamPrediction result;
  result.groups.resize(groups);
  result.groups_at_most.resize(groups);
  result.ranks.assign(model.ranks(), std::vector<Seconds>(groups));
  std::vector<std::vector<RankRun>> runs(groups);
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    const std::vector<State> ends = ends_of(model, rank, choice[rank]);
    for (std::size_t g = 0; g < groups; ++g) {
      RankRun run = model.run(rank, g, choice[rank][g], ends[(g + groups - 1) % groups], ends[g]);
      const double offset = model.offset(rank, g);
      result.groups[g] = std::max(result.groups[g], Seconds{run.time + offset});
      result.groups_at_most[g] = std::max(result.groups_at_most[g], Seconds{run.at_most + offset});
      result.ranks[rank][g] = {run.time};
      result.switches += run.switches;
      runs[g].push_back(std::move(run));
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    result.time += result.groups[g];
    result.time_at_most += result.groups_at_most[g];
    for (std::size_t node = 0; node < model.nodes().size(); ++node)
      result.energy.value += model.drawn(node, runs[g], result.groups[g].value);
  }
  return result;
}

}  // namespace teams

TeamPrediction predict_team_program(const TeamProgram& program, const TeamChoice& choice) {
  return teams::predict(teams::Model(program, 0, false), choice);
}

}  // namespace huddle
