#include "aggregator/predict/hybrid/published_terms.hpp"

#include <doctest/doctest.h>

namespace huddle {

TEST_CASE(
    "the terms of equations (7) and (8) are times, times by rates, and products over pairs of "
    "samples") {
  const std::vector<TeamSample> samples = {{{}, {2}, 0, 1, {3, 5}}, {{}, {4}, 0, 1, {7, 11}}};
  CHECK(published_terms(samples, {1}) == std::vector<double>{2, 6, 10, 4, 28, 44, 21, 55, 8});
  // In units of the first sample's time, products of rates are what they were.
  CHECK(published_terms(samples, {2}) == std::vector<double>{1, 3, 5, 2, 14, 22, 21, 55, 2});
}

TEST_CASE("three samples have three pairs") {
  const std::vector<TeamSample> samples(3, TeamSample{{}, {1}, 0, 1, {1, 1, 1, 1}});
  CHECK(published_terms(samples, {1}).size() == 3 * (1 + 4) + 3 * (4 + 1));
}

}  // namespace huddle
