// The effects of a model's interval on the choice.
#include <doctest/doctest.h>

#include "aggregator/recommend/recommendation.hpp"
#include "tests/aggregator/predict/computation/synthetic_truth.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

predict::ComputationModel small_model() {
  std::vector<predict::ProgramSamples> programs;
  for (const predict::PretendedProgram& program : predict::pretended_programs(4, 3))
    programs.push_back(predict::measured({}, program, predict::all_patterns(2, 2, 2), false));
  predict::TrainingOptions options;
  options.sample_patterns = {{1, 1, 1}, {2, 2, 2}};
  options.evaluations = 5;
  return predict::train(programs, options);
}

TEST_CASE("a pattern that may be beyond the bound says so, or is left out if nothing is risked") {
  const predict::ComputationModel model = small_model();
  // One sample on the sparsest pattern: denser ones are anybody's guess.
  const std::vector<Profile> profiles = {run_of(8, 1)};
  RecommendationOptions options;
  options.slowdown = 0.2;
  options.model = &model;
  const auto recommended = [&] {
    return recommend(profiles, slow_machine(), small_node(), predict::reference_on({1, 1, 1}, 8),
                     options);
  };
  const auto may_be_beyond = [&](const Recommendation& recommendation, const Candidate& candidate) {
    return candidate.forecast.time_high &&
           *candidate.forecast.time_high / recommendation.reference_forecast.time > 1.2;
  };
  int doubtful = 0;
  options.risk = Risk::kPoint;
  const Recommendation bold = recommended();
  for (const Candidate& candidate : bold.candidates) {
    if (!candidate.forecast.feasible) continue;
    CHECK(candidate.forecast.slowdown <= 0.2);
    CHECK(may_be_beyond(bold, candidate) ==
          candidate.forecast.reason.starts_with("may be beyond the bound of 20.0 %: up to +"));
    doubtful += may_be_beyond(bold, candidate) ? 1 : 0;
  }
  CHECK(doubtful > 0);
  options.risk = Risk::kInterval;
  const Recommendation careful = recommended();
  for (const Candidate& candidate : careful.candidates)
    if (candidate.forecast.feasible) CHECK_FALSE(may_be_beyond(careful, candidate));
  // A measured pattern is certain, so there is one to choose.
  CHECK(careful.chosen() != nullptr);
}

TEST_CASE(
    "with a model, the bound must hold with a probability of 60 %, and who does not hold it says "
    "how sure it is") {
  const predict::ComputationModel model = small_model();
  const std::vector<Profile> profiles = {run_of(8, 1)};
  RecommendationOptions options;
  options.model = &model;
  const auto on = [&](const predict::Pattern& pattern) {
    const Recommendation all = recommend(profiles, slow_machine(), small_node(),
                                         predict::reference_on({1, 1, 1}, 8), options);
    for (const Candidate& candidate : all.candidates)
      if (candidate.pattern == pattern)
        return std::pair(candidate.forecast, all.reference_forecast.time);
    FAIL("the pattern is there");
    return std::pair(PatternForecast{}, Seconds{});
  };
  const predict::Pattern dense{2, 2, 2};
  const auto [forecast, reference] = on(dense);
  const double deviation = (*forecast.time_high - forecast.time) / reference / 1.645;
  REQUIRE(deviation > 0.001);
  options.slowdown = forecast.slowdown + 0.2 * deviation;
  CHECK_FALSE(on(dense).first.feasible);
  CHECK(on(dense).first.reason.ends_with("with a probability of 58 %"));
  options.slowdown = forecast.slowdown + 0.3 * deviation;
  CHECK(on(dense).first.feasible);
}

TEST_CASE("without a model and with one run, a pattern needs all of its interval") {
  const std::vector<Profile> profiles = {run_of(8, 1)};
  RecommendationOptions options;
  const Recommendation found = recommend(profiles, slow_machine(), small_node(),
                                         predict::reference_on({1, 1, 1}, 8), options);
  CHECK(found.computation == ComputationMethod::kPrior);
  std::size_t refused = 0;
  for (const Candidate& candidate : found.candidates) {
    if (candidate.forecast.pattern == "1:1:1") continue;  // is the reference
    CAPTURE(candidate.forecast.pattern);
    REQUIRE(candidate.forecast.time_high);
    const double most = *candidate.forecast.time_high / found.reference_forecast.time - 1;
    if (candidate.forecast.feasible) CHECK(most <= options.slowdown);
    if (candidate.forecast.reason.starts_with("may be beyond")) ++refused;
  }
  CHECK(refused > 0);
}

TEST_CASE(
    "without a model and with runs on two patterns, those in between need the bound with 60 %") {
  const std::vector<Profile> profiles = {run_of(8, 1), run_of(8, 4)};
  RecommendationOptions options;
  const Recommendation found = recommend(profiles, slow_machine(), small_node(),
                                         predict::reference_on({1, 1, 1}, 8), options);
  CHECK(found.computation == ComputationMethod::kPrior);
  for (const Candidate& candidate : found.candidates) {
    CAPTURE(candidate.forecast.pattern);
    CHECK(candidate.forecast.time_high.has_value());
    CHECK_FALSE(candidate.forecast.reason.starts_with("may be beyond"));
  }
}

}  // namespace
}  // namespace huddle::recommend
