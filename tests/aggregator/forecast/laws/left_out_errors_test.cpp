#include "aggregator/forecast/laws/left_out_errors.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

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
}  // namespace huddle
