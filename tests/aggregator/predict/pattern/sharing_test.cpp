#include "aggregator/predict/pattern/sharing.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace huddle {
namespace {

std::vector<RankClass> classes_on(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<std::uint32_t> cores(ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return classes_of(locations_on(pattern, cores)).value();
}

TEST_CASE("ranks of a full pattern share alike, and the pattern can be told from it") {
  for (const Pattern& pattern : {Pattern{1, 1, 1}, Pattern{2, 3, 4}, Pattern{2, 1, 3}}) {
    const auto classes = classes_on(pattern, 2 * pattern.ranks_per_node());
    REQUIRE(classes.size() == 1);
    CHECK(classes[0].sharing == sharing_of(pattern));
    CHECK(classes[0].ranks.size() == 2 * pattern.ranks_per_node());
    CHECK(pattern_with(classes[0].sharing) == pattern);
  }
}

TEST_CASE("a last node that is not full is another class, or several") {
  const auto classes = classes_on({2, 2, 2}, 14);
  REQUIRE(classes.size() == 3);
  CHECK(classes[0].sharing == Sharing{2, 2, 6});
  CHECK(classes[0].ranks == std::vector<std::uint32_t>{12, 13});
  CHECK(classes[1].sharing == Sharing{2, 4, 6});
  CHECK(classes[2].sharing == Sharing{2, 4, 8});
  CHECK(classes[2].ranks.size() == 8);
}

TEST_CASE("no pattern has dies or packages that differ") {
  CHECK_FALSE(pattern_with({2, 3, 6}).has_value());
  CHECK_FALSE(pattern_with({2, 4, 6}).has_value());
}

TEST_CASE("ranks that may run on several dies have no known sharing") {
  CHECK_FALSE(classes_of({{0, 0, 0}, {0, 0, Location::kSeveral}}).has_value());
  CHECK_FALSE(sharings_of({{0, Location::kSeveral, 0}}).has_value());
  CHECK(sharings_of({}).value().empty());
}

}  // namespace
}  // namespace huddle
