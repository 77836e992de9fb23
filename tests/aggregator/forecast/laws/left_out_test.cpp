#include "aggregator/forecast/laws/left_out.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle::forecast {
namespace {

LawSamples samples_of(const std::vector<double>& sizes, const std::vector<double>& threads) {
  const auto program =
      generated_program([](const auto& at) { return at.size; }, sizes, {1}, threads, 0);
  return gather_samples(program.where, program.values);
}

TEST_CASE("what is left out between never is the least or the largest value") {
  const LawSamples samples = samples_of({1, 2, 3, 4, 5}, {1, 2});
  for (const LeftOutFold& fold : folds_of(samples, LeftOut::between)) {
    CHECK(!fold.beyond);
    if (fold.factor != kSize) continue;
    for (const std::size_t i : fold.left_out) {
      CHECK(samples.where[i][kSize] > 1);
      CHECK(samples.where[i][kSize] < 5);
    }
  }
}

TEST_CASE("values are left out whole") {
  const LawSamples samples = samples_of({1, 2, 3, 4, 5}, {1, 2, 3});
  for (const LeftOut purpose : {LeftOut::between, LeftOut::beyond})
    for (const LeftOutFold& fold : folds_of(samples, purpose)) {
      if (fold.factor == kFactors) continue;
      for (const std::size_t out : fold.left_out)
        for (const std::size_t in : fold.training)
          CHECK(samples.where[out][fold.factor] != samples.where[in][fold.factor]);
    }
}

TEST_CASE("what is left out beyond is larger than all that stays, or smaller") {
  const LawSamples samples = samples_of({1, 2, 3, 4, 5, 6}, {1});
  const auto folds = folds_of(samples, LeftOut::beyond);
  CHECK(std::any_of(folds.begin(), folds.end(), [](const auto& fold) { return fold.below; }));
  for (const LeftOutFold& fold : folds)
    for (const std::size_t out : fold.left_out)
      for (const std::size_t in : fold.training)
        CHECK((samples.where[out][kSize] < samples.where[in][kSize]) == fold.below);
}

TEST_CASE("two values of each factor leave no whole value out") {
  const LawSamples samples = samples_of({1, 2}, {1});
  CHECK(folds_of(samples, LeftOut::between).empty());
  CHECK(folds_of(samples, LeftOut::beyond).empty());
}

LeftOutErrors hundred_errors(std::size_t groups) {
  LeftOutErrors errors;
  for (int i = 1; i <= 100; ++i) {
    errors.errors.push_back(i % 2 == 0 ? i * 0.01 : -i * 0.01);
    errors.distances.push_back(2);
  }
  errors.groups = groups;
  return errors;
}

TEST_CASE("an interval is as wide as 9 of 10 errors need, and the correction for a finite sample") {
  CHECK(width_between(hundred_errors(100)) == doctest::Approx(0.91));
}

TEST_CASE("errors of few values left out make a wider interval") {
  CHECK(width_between(hundred_errors(2)) > 1.5 * width_between(hundred_errors(100)));
  CHECK(few_groups_factor(1) > few_groups_factor(2));
  CHECK(few_groups_factor(10) > few_groups_factor(11));
  CHECK(few_groups_factor(1000) == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("what errors beyond exceed the width by grows with the distance") {
  CHECK(growth_beyond(hundred_errors(1000), 0.5) == doctest::Approx(0.41 / 2).epsilon(0.01));
  CHECK(growth_beyond(hundred_errors(1000), 2) == 0);
}

}  // namespace
}  // namespace huddle::forecast
