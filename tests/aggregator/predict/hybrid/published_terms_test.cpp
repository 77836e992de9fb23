#include "aggregator/predict/hybrid/published_terms.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

using Configurations = std::vector<hybrid::TeamConfiguration>;
constexpr Hertz kFirstClock{2.6e9};
constexpr Hertz kSecondClock{2.4e9};

hybrid::TeamNode node_with(std::uint32_t packages, std::uint32_t dies, std::uint32_t cores) {
  return {.packages = packages,
          .dies_per_package = dies,
          .cores_per_die = cores,
          .nominal = kFirstClock};
}

}  // namespace

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

TEST_CASE(
    "the published samples are all cores, and half of them in two placements at the second clock") {
  CHECK(
      published_samples(node_with(2, 1, 8), kSecondClock, true) ==
      Configurations{{16, 16, 2, kFirstClock}, {16, 8, 2, kSecondClock}, {16, 8, 1, kSecondClock}});
  CHECK(published_samples(node_with(4, 2, 6), kSecondClock, false) ==
        Configurations{
            {48, 48, 4, kFirstClock}, {24, 24, 4, kSecondClock}, {24, 24, 2, kSecondClock}});
}

TEST_CASE("where there is one package, the third sample has a quarter of the cores") {
  CHECK(published_samples(node_with(1, 8, 8), kSecondClock, true) ==
        Configurations{
            {64, 64, 1, kFirstClock}, {64, 32, 1, kSecondClock}, {64, 16, 1, kSecondClock}});
}

}  // namespace huddle::predict
