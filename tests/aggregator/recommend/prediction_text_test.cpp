#include "aggregator/recommend/prediction_text.hpp"

#include <doctest/doctest.h>

#include "aggregator/recommend/plan_making.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

PatternForecast forecast_of(double time, double low, double high, Coverage coverage) {
  PatternForecast forecast;
  forecast.pattern = "2:2:2";
  forecast.nodes = 2;
  forecast.time = {time};
  forecast.time_low = Seconds{low};
  forecast.time_high = Seconds{high};
  forecast.slowdown = time / 100 - 1;
  forecast.coverage = coverage;
  return forecast;
}

PatternForecast reference() {
  PatternForecast forecast = forecast_of(100, 99, 101, Coverage::kMeasured);
  forecast.nodes = 8;
  return forecast;
}

TEST_CASE("a predicted time has its interval beside it") {
  CHECK(time_change_text(forecast_of(100.6, 99.5, 102.1, Coverage::kMeasured), reference()) ==
        "predicted +0.6 % time (-0.5 to +2.1)");
  CHECK(time_change_text(forecast_of(99.99, 98, 102, Coverage::kModel), reference()) ==
        "predicted +0.0 % time (-2.0 to +2.0)");
}

TEST_CASE("an interval that says nothing is words, and so is contention that nobody knows") {
  CHECK(time_change_text(forecast_of(110, 0.87, 2.2e14, Coverage::kModel), reference()) ==
        "predicted +10.0 % time (no useful interval)");
  PatternForecast forecast = forecast_of(100, 99, 101, Coverage::kNone);
  forecast.time_low = forecast.time_high = std::nullopt;
  CHECK(time_change_text(forecast, reference()) == "predicted +0.0 % time (contention unknown)");
  forecast.coverage.reset();  // a plan of an older version
  CHECK(time_change_text(forecast, reference()) == "predicted +0.0 % time");
}

TEST_CASE("the energy follows, and never as less than nothing of a percent") {
  PatternForecast forecast = forecast_of(100.6, 99.5, 102.1, Coverage::kMeasured);
  PatternForecast against = reference();
  against.energy = Joules{1000};
  forecast.energy = Joules{290};
  CHECK(prediction_text(forecast, against) == "predicted +0.6 % time (-0.5 to +2.1), -71 % energy");
  forecast.energy = Joules{999};
  CHECK(prediction_text(forecast, against) == "predicted +0.6 % time (-0.5 to +2.1), +0 % energy");
}

TEST_CASE("the machine's energy stands beside the job's where nobody else gets unused nodes") {
  PatternForecast forecast = forecast_of(100.6, 99.5, 102.1, Coverage::kMeasured);
  PatternForecast against = reference();
  against.energy = against.machine_energy = Joules{1000};
  forecast.energy = Joules{290};
  forecast.machine_energy = Joules{890};
  CHECK(prediction_text(forecast, against) ==
        "predicted +0.6 % time (-0.5 to +2.1), -71 % energy of the job, -11 % of the machine");
}

TEST_CASE("the reason of a plan has the interval, or says that contention is unknown") {
  Plan plan;
  plan.reference = reference();
  plan.chosen = forecast_of(100.6, 99.5, 102.1, Coverage::kMeasured);
  CHECK(reason_of(plan) == "2 of 8 nodes (2:2:2), predicted +0.6 % time (-0.5 to +2.1)");
  plan.chosen = forecast_of(100, 99, 101, Coverage::kNone);
  CHECK(reason_of(plan) == "2 of 8 nodes (2:2:2), predicted +0.0 % time (contention unknown)");
}

std::vector<std::string> notes_from(const std::vector<Profile>& profiles,
                                    const predict::ComputationModel* model = nullptr) {
  RecommendationOptions options;
  options.model = model;
  if (model == nullptr) options.computation = ComputationMethod::kSimple;
  return coverage_notes(recommend(profiles, slow_machine(), small_node(),
                                  predict::reference_on({1, 1, 1}, 8), options));
}

TEST_CASE("from one run on sparse nodes, it is said that contention is unknown") {
  const std::vector<std::string> notes = notes_from({run_of(8, 1)});
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "the prediction of 2:2:2 rests on nothing");
  CHECK(
      notes[1].starts_with("contention unknown: no run or model shows how ranks that share a die "
                           "slow each other"));
}

TEST_CASE("what was measured as densely as can be leaves nothing unknown") {
  const std::vector<std::string> notes = notes_from({run_of(8, 1), run_of(8, 8)});
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "the prediction of 2:2:2 rests on a measured run");
}

TEST_CASE("patterns say what they rest on") {
  const std::vector<Profile> profiles = {run_of(8, 1), run_of(8, 4)};
  RecommendationOptions options;
  options.computation = ComputationMethod::kSimple;
  const Recommendation found = recommend(profiles, slow_machine(), small_node(),
                                         predict::reference_on({1, 1, 1}, 8), options);
  const auto of = [&](const char* pattern) {
    for (const Candidate& candidate : found.candidates)
      if (candidate.forecast.pattern == pattern) return candidate.forecast;
    return PatternForecast{};
  };
  CHECK(found.reference_forecast.coverage == Coverage::kMeasured);
  CHECK(of("1:2:2").coverage == Coverage::kMeasured);
  CHECK(of("2:1:2").coverage == Coverage::kInterpolated);
  CHECK(of("2:1:2").rests_on == "measured runs with denser ranks");
  CHECK(of("2:2:2").coverage == Coverage::kNone);
  CHECK(of("2:1:2").time_high.has_value());
  CHECK_FALSE(of("2:2:2").time_high.has_value());
}

}  // namespace
}  // namespace huddle::recommend
