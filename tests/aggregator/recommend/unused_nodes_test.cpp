#include "aggregator/recommend/recommendation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

Machine machine_with(PowerFigures power) {
  Machine machine = slow_machine();
  machine.power = power;
  return machine;
}

// Recommends by the simple model, whose figures can be told by hand.
Recommendation recommend_with(const Machine& machine, const Profile& profile) {
  RecommendationOptions options;
  options.computation = ComputationMethod::kSimple;
  const predict::Reference reference = predict::reference_on({1, 1, 1}, profile.ranks);
  return recommend({profile}, machine, small_node(), reference, options);
}

PatternForecast forecast_on(const Machine& machine, const std::string& pattern) {
  const Recommendation recommendation = recommend_with(machine, run_of(4, 1));
  const auto found = std::ranges::find(recommendation.candidates, pattern,
                                       [](const Candidate& one) { return one.forecast.pattern; });
  REQUIRE(found != recommendation.candidates.end());
  return found->forecast;
}

TEST_CASE("nodes left unused count for the machine's energy only, by what becomes of them") {
  const auto forecast_with = [](std::optional<UnusedNodes> unused) {
    Machine machine = machine_with({{100}, {20}, {10}, {1}, {1}, Origin::kGiven});
    machine.unused_nodes = std::move(unused);
    return forecast_on(machine, "1:2:2");
  };
  const PatternForecast unknown = forecast_with({});
  CHECK(unknown.energy->value == doctest::Approx(100 * (100 + 10 + 2 + 4)));
  CHECK(!unknown.machine_energy);
  for (const auto& [node, watt_seconds] :
       {std::pair(UnusedNode{NodeFate::kIdles, {}}, 100 * 100.0),
        std::pair(UnusedNode{NodeFate::kSleeps, {}}, 100 * 20.0),
        std::pair(UnusedNode{NodeFate::kSleeps, {30}}, 30 * 100 + 70 * 20.0)}) {
    const PatternForecast forecast = forecast_with(UnusedNodes{node, {}, Origin::kGiven, {}});
    CHECK(forecast.energy == unknown.energy);
    CHECK(forecast.machine_energy->value - forecast.energy->value ==
          doctest::Approx(3 * watt_seconds));
  }
}

TEST_CASE("with unused nodes that idle, the least energy of the machine is first") {
  // One node instead of four saves the job energy, and the machine nothing but packages.
  Machine machine = machine_with({{1}, {0}, {100}, {1}, {0}, Origin::kGiven});
  Profile profile = run_of(4, 1, 10);
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) add_messages(profile, rank, rank ^ 1U, 1, 50);
  machine.unused_nodes = UnusedNodes{{NodeFate::kIdles, {}}, {}, Origin::kGiven, {}};
  const Recommendation recommendation = recommend_with(machine, profile);
  for (const Candidate& candidate : recommendation.candidates)
    if (candidate.forecast.feasible)
      CHECK(*recommendation.chosen()->forecast.machine_energy <=
            *candidate.forecast.machine_energy);
  CHECK(*recommendation.reference_forecast.machine_energy ==
        *recommendation.reference_forecast.energy);
}

}  // namespace
}  // namespace huddle::recommend
