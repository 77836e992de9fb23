#include "aggregator/hybrid/frequency_knapsack.hpp"

#include <doctest/doctest.h>

namespace huddle::hybrid {

TEST_CASE("slack is what the critical rank takes longer, less sending and changing the clock") {
  CHECK(slack_of({.critical = {10}, .own = {6}, .send = {1}, .clock_change = {0.5}, .tolerance = 0})
            .value == doctest::Approx(2.5));
  CHECK(slack_of({.critical = {10}, .own = {6}, .send = {}, .clock_change = {}, .tolerance = 0.25})
            .value == doctest::Approx(3.2));
}

TEST_CASE("slack is at most the measured wait") {
  TeamSlack known{.critical = {10}, .own = {6}, .send = {}, .clock_change = {0.5}, .wait = {{1}}};
  CHECK(slack_of(known).value == doctest::Approx(0.5));
  known.wait = {{100}};
  CHECK(slack_of(known).value == doctest::Approx(3.5 / 1.1));
  known.wait = {{0}};
  CHECK(slack_of(known).value == 0);
}

TEST_CASE("the critical rank has no slack") {
  CHECK(slack_of({.critical = {10}, .own = {10}, .send = {1}, .clock_change = {}}).value == 0);
}

}  // namespace huddle::hybrid
