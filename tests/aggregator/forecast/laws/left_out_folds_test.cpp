#include "aggregator/forecast/laws/left_out_folds.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle {
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

}  // namespace
}  // namespace huddle
