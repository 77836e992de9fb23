#include "aggregator/hybrid/team_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/hybrid/team_menu.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/hybrid/team_examples.hpp"

namespace huddle::hybrid {
namespace {

using Cores = std::vector<std::uint32_t>;

TeamRank rank_on(Cores cores) {
  TeamRank rank;
  rank.cores = std::move(cores);
  return rank;
}

}  // namespace

TEST_CASE("a team fills the first dies of the first packages") {
  const TeamNode node = example_node();
  const TeamRank rank = rank_on({0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(cores_of_team({8, 2, 1, {}}, rank, node) == Cores{0, 1});
  CHECK(cores_of_team({8, 4, 1, {}}, rank, node) == Cores{0, 1, 2, 3});
  CHECK(cores_of_team({8, 4, 2, {}}, rank, node) == Cores{0, 1, 4, 5});
  CHECK(cores_of_team({8, 8, 2, {}}, rank, node).size() == 8);
  SUBCASE("and one more package where one is too few") {
    CHECK(cores_of_team({8, 6, 1, {}}, rank, node) == Cores{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("ranks that share packages leave the same one") {
  const TeamNode node = example_node();
  CHECK(cores_of_team({4, 2, 1, {}}, rank_on({0, 2, 4, 6}), node) == Cores{0, 2});
  CHECK(cores_of_team({4, 2, 1, {}}, rank_on({1, 3, 5, 7}), node) == Cores{1, 3});
}

TEST_CASE("a team doesn't get more cores than its rank has") {
  CHECK_THROWS_AS((void)cores_of_team({4, 4, 1, {}}, rank_on({0, 1}), example_node()), Error);
  CHECK_THROWS_AS((void)cores_of_team({4, 0, 1, {}}, rank_on({0, 1}), example_node()), Error);
}

TEST_CASE("packing offers divisors of the team only, spread evenly over packages") {
  const TeamNode node = example_node();
  const TeamRank rank = rank_on({0, 1, 2, 3, 4, 5, 6, 7});
  const std::vector<Hertz> clocks = {kTopClock};
  CHECK(team_configurations(8, rank, node, clocks) ==
        std::vector<TeamConfiguration>{{8, 1, 1, kTopClock},
                                       {8, 2, 1, kTopClock},
                                       {8, 2, 2, kTopClock},
                                       {8, 4, 1, kTopClock},
                                       {8, 4, 2, kTopClock},
                                       {8, 8, 2, kTopClock}});
  CHECK(team_configurations(1, rank, node, clocks).size() == 1);
}

TEST_CASE("teams that may shrink get any size, with a core for each thread") {
  const std::vector<Hertz> clocks = {kLowClock, kTopClock};
  const auto menu =
      team_configurations(4, rank_on({0, 1, 2, 3}), example_node(), clocks, TeamSizes::kMayShrink);
  const auto has = [&](const TeamConfiguration& wanted) {
    return std::find(menu.begin(), menu.end(), wanted) != menu.end();
  };
  CHECK(has({3, 3, 1, kLowClock}));
  CHECK(has({4, 2, 1, kTopClock}));
  CHECK(has({2, 2, 1, kTopClock}));
  CHECK_FALSE(has({4, 3, 1, kTopClock}));
  CHECK(menu.size() == 2 * (4 + 2));
}

}  // namespace huddle::hybrid
