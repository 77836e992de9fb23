#include "aggregator/forecast/sizes/detail/by_size.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace huddle {
namespace {

using Numbers = std::vector<double>;

template <class Law>
double predicted(const Numbers& sizes, double target, Law&& law) {
  Numbers counts;
  for (const double size : sizes) counts.push_back(law(size));
  return CountsBySize(sizes, target).at_target(counts);
}

TEST_CASE("counts that follow one form of the size are predicted exactly, between and beyond") {
  for (const double target : {48.0, 100.0, 512.0, 16.0}) {
    CAPTURE(target);
    const Numbers sizes = {32, 64, 128, 256};
    const auto exact = [&](auto&& law) {
      CHECK(predicted(sizes, target, law) == doctest::Approx(law(target)).epsilon(1e-9));
    };
    exact([](double) { return 400.0; });
    exact([](double s) { return 8 * s; });
    exact([](double s) { return 8 * (s + 2); });
    exact([](double s) { return 24 * s * s; });
    exact([](double s) { return 1000 + 3 * std::sqrt(s); });
    exact([](double s) { return 100 + std::pow(s, 2.0 / 3); });
    exact([](double s) { return 7 * std::pow(s, 1.7); });
  }
}

TEST_CASE("two sizes give a power law") {
  CHECK(predicted({10, 40}, 20, [](double s) { return 5 * s * s; }) == doctest::Approx(2000));
  CHECK(predicted({10, 40}, 80, [](double s) { return 5 * s; }) == doctest::Approx(400));
}

TEST_CASE("what follows no form is predicted from the two nearest sizes") {
  const Numbers sizes = {10, 20, 40, 80};
  const Numbers counts = {100, 100, 900, 1000};
  CHECK(CountsBySize(sizes, 60).at_target(counts) ==
        doctest::Approx(900 * std::pow(1.5, std::log2(1000.0 / 900))));
  CHECK(CountsBySize(sizes, 15).at_target(counts) == doctest::Approx(100));
}

TEST_CASE("what there is at some sizes only never becomes negative") {
  CHECK(CountsBySize(Numbers{10, 20, 40}, 30).at_target(Numbers{0, 0, 8}) == doctest::Approx(4));
  CHECK(CountsBySize(Numbers{10, 20, 40}, 80).at_target(Numbers{9, 8, 0}) == 0);
  CHECK(CountsBySize(Numbers{10, 20}, 5).at_target(Numbers{0, 8}) == 0);
}

TEST_CASE("rounding is no reason to leave a form, and runs of one size count as their mean") {
  const Numbers sizes = {10, 10, 20, 30};
  CHECK(CountsBySize(sizes, 25).at_target(Numbers{33, 34, 67, 100}) ==
        doctest::Approx(83.3).epsilon(0.01));
}

}  // namespace
}  // namespace huddle
