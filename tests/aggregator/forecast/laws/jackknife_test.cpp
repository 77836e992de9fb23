#include "aggregator/forecast/laws/jackknife.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle {
namespace {

const Law kSquare = [](const Configuration& at) { return 1e-3 * at.size * at.size; };
const std::vector<double> kSizes = {1000, 2000, 4000, 8000, 16000, 32000};

Jackknife of_product(const std::vector<double>& sizes, double noise) {
  const auto program = generated_program(kSquare, sizes, {1}, {1}, noise);
  return {LawForm{}, gather_samples(program.where, program.values)};
}

TEST_CASE("a law's numbers are the less sure the farther away they are asked about") {
  const Jackknife jackknife = of_product(kSizes, 0.05);
  const double near = jackknife.deviation_at({32000, 1, 1, 1});
  const double far = jackknife.deviation_at({512000, 1, 1, 1});
  CHECK(near > 0);
  CHECK(far > 1.5 * near);
}

TEST_CASE("the deviation is about that of laws of other measurements") {
  // Of a line's end: noise x sqrt(1/n + (x - mean)^2 / sum of squares), of 6 sizes 0.72 x noise.
  const double deviation = of_product(kSizes, 0.05).deviation_at({32000, 1, 1, 1});
  CHECK(deviation > 0.3 * 0.72 * 0.05);
  CHECK(deviation < 3 * 0.72 * 0.05);
}

TEST_CASE("without noise a law of the right form is sure") {
  CHECK(of_product(kSizes, 0).deviation_at({512000, 1, 1, 1}) < 1e-4);
}

TEST_CASE("of two values none can be left out, and nothing tells how sure a law is") {
  CHECK(std::isnan(of_product({1000, 2000}, 0.05).deviation_at({4000, 1, 1, 1})));
}

TEST_CASE("many values are left out several at a time") {
  std::vector<double> sizes;
  for (int i = 0; i < 100; ++i) sizes.push_back(1000 * std::pow(1.1, i));
  const double deviation = of_product(sizes, 0.05).deviation_at({1e8, 1, 1, 1});
  CHECK(deviation > 0.001);
  CHECK(deviation < 0.1);
}

}  // namespace
}  // namespace huddle
