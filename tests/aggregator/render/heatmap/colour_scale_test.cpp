#include "aggregator/render/heatmap/colour_scale.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace huddle::render {
namespace {

using Ticks = std::vector<std::uint64_t>;

TEST_CASE("equal factors are equal steps") {
  const LogScale scale(10, 1000);
  CHECK(scale.position(10) == 0);
  CHECK(scale.position(100) == doctest::Approx(0.5));
  CHECK(scale.position(1000) == 1);
}

TEST_CASE("levels run from 1 for the least to all for the most, and 0 is level 0") {
  const LogScale scale(1, 1024);
  CHECK(scale.level(0, 10) == 0);
  CHECK(scale.level(1, 10) == 1);
  CHECK(scale.level(3, 10) == 2);
  CHECK(scale.level(1024, 10) == 10);
}

TEST_CASE("where all are equal, all are the most") {
  CHECK(LogScale(7, 7).level(7, 9) == 9);
  CHECK(LogScale(7, 7).ticks(2) == Ticks{7});
}

TEST_CASE("ticks are few round numbers, however wide or narrow the scale is") {
  CHECK(LogScale(88, 40'000'000).ticks(2).size() <= 8);
  CHECK(LogScale(1, 1000).ticks(10) == Ticks{1, 10, 100, 1000});
  CHECK(LogScale(3, 20).ticks(2) == Ticks{4, 8, 16});
  CHECK(LogScale(1001, 3001).ticks(10) == Ticks{1001, 3001});
  const Ticks all = LogScale(1, std::numeric_limits<std::uint64_t>::max()).ticks(2);
  CHECK(all.size() >= 2);
  CHECK(all.size() <= 8);
  CHECK(LogScale(0, 0).ticks(2).empty());
}

TEST_CASE("colours run from dark violet over green to yellow") {
  CHECK(viridis(0) == Colour{0x44, 0x01, 0x54});
  CHECK(viridis(1) == Colour{0xfd, 0xe7, 0x25});
  CHECK(viridis(0.5) == Colour{0x21, 0x91, 0x8c});
}

}  // namespace
}  // namespace huddle::render
