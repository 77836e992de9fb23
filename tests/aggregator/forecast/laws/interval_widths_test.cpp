#include "aggregator/forecast/laws/interval_widths.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle::forecast {
namespace {

const Law kSquare = [](const Configuration& at) { return 1e-3 * at.size * at.size; };
const std::vector<double> kDoubledSizes = {1000, 2000, 4000, 8000, 16000, 32000};

Jackknife of_product(const std::vector<double>& sizes, double noise) {
  const auto program = generated_program(kSquare, sizes, {1}, {1}, noise);
  return {LawForm{}, gather_samples(program.where, program.values)};
}

TEST_CASE("a law's numbers are the less sure the farther away they are asked about") {
  const Jackknife jackknife = of_product(kDoubledSizes, 0.05);
  const double near = jackknife.deviation_at({32000, 1, 1, 1, 1, 1});
  const double far = jackknife.deviation_at({512000, 1, 1, 1, 1, 1});
  CHECK(near > 0);
  CHECK(far > 1.5 * near);
}

TEST_CASE("the deviation is about that of laws of other measurements") {
  // The deviation of a line's end is noise x sqrt(1/n + (x - mean)^2 / sum of squares), with 6
  // sizes 0.72 x noise.
  const double deviation = of_product(kDoubledSizes, 0.05).deviation_at({32000, 1, 1, 1, 1, 1});
  CHECK(deviation > 0.3 * 0.72 * 0.05);
  CHECK(deviation < 3 * 0.72 * 0.05);
}

TEST_CASE("without noise a law of the right form is sure") {
  CHECK(of_product(kDoubledSizes, 0).deviation_at({512000, 1, 1, 1, 1, 1}) < 1e-4);
}

TEST_CASE("of two values none can be left out, and nothing shows how sure a law is") {
  CHECK(std::isnan(of_product({1000, 2000}, 0.05).deviation_at({4000, 1, 1, 1, 1, 1})));
}

TEST_CASE("many values are left out several at a time") {
  std::vector<double> sizes;
  for (int i = 0; i < 100; ++i) sizes.push_back(1000 * std::pow(1.1, i));
  const double deviation = of_product(sizes, 0.05).deviation_at({1e8, 1, 1, 1, 1, 1});
  CHECK(deviation > 0.001);
  CHECK(deviation < 0.1);
}

const LawForm kPower{};
const LawForm kPowerAndFixed{.sum = true, .shares = {{0, 0}}, .fixed = true};
constexpr Factors kFar{128000, 1, 1, 1, 1, 1};

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

TEST_CASE("where a factor has two values nothing shows what is beyond them") {
  const LawSamples samples = with_fixed_cost({1000, 2000});
  CHECK(std::isnan(ModelDoubt(samples, choice_of({{kPower, 1}})).half_width(kFar, 0.02)));
}

TEST_CASE("where nothing could be left out no form has rivals, and no width is known") {
  const LawSamples samples = with_fixed_cost({1000, 2000, 4000});
  const LawChoice choice = choose_law(samples, {}, false);
  CHECK(choice.rivals.empty());
  CHECK(std::isnan(ModelDoubt(samples, choice).half_width(kFar, 0.02)));
}

TEST_CASE("forms that fit what was left out alike are rivals, the chosen one first") {
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
}  // namespace huddle::forecast
