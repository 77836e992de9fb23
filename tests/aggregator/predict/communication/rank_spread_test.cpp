#include "aggregator/predict/communication/rank_spread.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

const std::vector<Location> kPlaces = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 0},
                                       {1, 0, 1}, {0, 0, 0}, {1, 1, 1}};

TEST_CASE("a spread holds the nodes, and the most ranks, packages, dies and cores in use") {
  const SpreadFinder finder(kPlaces);
  CHECK(finder.of_all() == RankSpread{7, 2, 4, 12, {2, 2, 2}});
  CHECK(finder.of_node(0) == RankSpread{3, 1, 3, 0, {2, 1, 2}});
  CHECK(finder.of({0, 2}) == RankSpread{2, 2, 1, 1, {1, 1, 1}});
  CHECK(finder.of({6, 4, 2}) == RankSpread{3, 1, 3, 0, {2, 2, 1}});
}

TEST_CASE("ranks that may run anywhere on their node count as on one die") {
  const Location anywhere{0, Location::kSeveral, Location::kSeveral};
  CHECK(SpreadFinder({anywhere, anywhere}).of_all() == RankSpread{2, 1, 2, 0, {1, 1, 2}});
}

}  // namespace
}  // namespace huddle::predict
