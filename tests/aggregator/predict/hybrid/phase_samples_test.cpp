#include "aggregator/predict/hybrid/phase_samples.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

using Configurations = std::vector<TeamConfiguration>;
constexpr Hertz kFirstClock{2.6e9};
constexpr Hertz kSecondClock{2.4e9};

}  // namespace

TEST_CASE(
    "the published samples are all cores, and half of them in two placements at the second clock") {
  CHECK(
      published_samples({2, 8, 8, kFirstClock}, kSecondClock, true) ==
      Configurations{{16, 16, 2, kFirstClock}, {16, 8, 2, kSecondClock}, {16, 8, 1, kSecondClock}});
  CHECK(published_samples({4, 12, 6, kFirstClock}, kSecondClock, false) ==
        Configurations{
            {48, 48, 4, kFirstClock}, {24, 24, 4, kSecondClock}, {24, 24, 2, kSecondClock}});
}

TEST_CASE("where there is one package, the third sample has a quarter of the cores") {
  CHECK(published_samples({1, 64, 8, kFirstClock}, kSecondClock, true) ==
        Configurations{
            {64, 64, 1, kFirstClock}, {64, 32, 1, kSecondClock}, {64, 16, 1, kSecondClock}});
}

}  // namespace huddle
