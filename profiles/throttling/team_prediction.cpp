#include "profiles/throttling/team_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/throttling/detail/team_prediction_of_model.hpp"
#include "profiles/vocabulary/error.hpp"

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

namespace {

void check_team_choice(const TeamProgram& program, const TeamChoice& choice) {
  const auto check_count = [](std::size_t found, std::size_t expected, const char* what) {
    if (found != expected)
      throw Error(fmt::format("choice for a program with teams: {} {}; expected: {}", found, what,
                              expected));
  };
  check_count(choice.size(), program.ranks.size(), "ranks");
  for (std::size_t rank = 0; rank < choice.size(); ++rank) {
    const TeamRank& of_rank = program.ranks[rank];
    check_count(choice[rank].size(), program.groups.size(), "phase groups");
    for (std::size_t g = 0; g < choice[rank].size(); ++g) {
      const auto& regions = of_rank.groups[g].regions;
      check_count(choice[rank][g].size(), regions.size(), "regions");
      for (std::size_t i = 0; i < regions.size(); ++i)
        if (choice[rank][g][i] >= regions[i].options.size())
          throw Error(
              fmt::format("rank {}, group {}, region {}: option {} was chosen; expected: "
                          "below {}",
                          of_rank.rank.value, program.groups[g].name, regions[i].name,
                          choice[rank][g][i], regions[i].options.size()));
    }
  }
}

}  // namespace

TeamPrediction predict_team_program(const TeamProgram& program, const TeamChoice& choice) {
  const teams::Model model(program, 0, false);
  check_team_choice(program, choice);
  return teams::predict(model, choice);
}

}  // namespace huddle
