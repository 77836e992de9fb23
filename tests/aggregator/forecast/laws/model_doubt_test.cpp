#include "aggregator/forecast/laws/model_doubt.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle {
namespace {

const LawForm kPower{};
const LawForm kPowerAndFixed{.sum = true, .shares = {{0, 0}}, .fixed = true};
constexpr Factors kFar{128000, 1, 1, 1};

LawSamples with_fixed_cost(const std::vector<double>& sizes) {
  const Law law = [](const Configuration& at) { return 3 + at.size / 1000; };
  const auto program = generated_program(law, sizes, {1}, {1}, 0.01);
  return gather_samples(program.where, program.values);
}

LawChoice choice_of(std::vector<RivalForm> rivals) {
  return {.form = rivals[0].form, .rivals = std::move(rivals), .surface = {}, .errors = {}};
}

double half_width(const std::vector<RivalForm>& rivals, double noise) {
  const LawSamples samples = with_fixed_cost({1000, 2000, 4000, 8000, 16000});
  return ModelDoubt(samples, choice_of(rivals)).half_width(kFar, noise);
}

TEST_CASE("a rival form that says something else beyond makes an interval wider") {
  const double alone = half_width({{kPowerAndFixed, 1}}, 0.02);
  const double unlikely = half_width({{kPowerAndFixed, 0.99}, {kPower, 0.01}}, 0.02);
  const double likely = half_width({{kPowerAndFixed, 0.7}, {kPower, 0.3}}, 0.02);
  CHECK(unlikely < 1.2 * alone);
  CHECK(likely > 2 * alone);
}

TEST_CASE("an interval is never narrower than noise alone makes it") {
  CHECK(half_width({{kPowerAndFixed, 1}}, 0.02) >= 0.02);
  CHECK(half_width({{kPowerAndFixed, 1}}, 0.5) == doctest::Approx(0.5).epsilon(0.05));
}

TEST_CASE("where a factor has two values nothing tells what is beyond them") {
  const LawSamples samples = with_fixed_cost({1000, 2000});
  CHECK(std::isnan(ModelDoubt(samples, choice_of({{kPower, 1}})).half_width(kFar, 0.02)));
}

TEST_CASE("where nothing could be left out no form has rivals, and nothing tells") {
  const LawSamples samples = with_fixed_cost({1000, 2000, 4000});
  const LawChoice choice = choose_law(samples, {}, false);
  CHECK(choice.rivals.empty());
  CHECK(std::isnan(ModelDoubt(samples, choice).half_width(kFar, 0.02)));
}

TEST_CASE("forms that what was left out does not tell apart are rivals, the chosen one first") {
  const LawSamples samples = with_fixed_cost({1000, 2000, 4000, 8000, 16000});
  const LawChoice choice = choose_law(samples, folds_of(samples, LeftOut::beyond), false);
  REQUIRE(!choice.rivals.empty());
  double sum = 0;
  for (const RivalForm& rival : choice.rivals) {
    CHECK(rival.weight <= choice.rivals[0].weight);
    sum += rival.weight;
  }
  CHECK(sum == doctest::Approx(1));
}

}  // namespace
}  // namespace huddle
