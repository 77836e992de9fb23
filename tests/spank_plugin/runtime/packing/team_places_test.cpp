#include "spank_plugin/runtime/packing/team_places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

namespace huddle::runtime {

using Counts = std::vector<std::uint32_t>;

TEST_CASE("a team is packed onto numbers of PUs that divide its size") {
  CHECK(packable_counts(8, 16) == Counts{8, 4, 2, 1});
  CHECK(packable_counts(8, 3) == Counts{2, 1});
  CHECK(packable_counts(6, 4) == Counts{3, 2, 1});
  CHECK(packable_counts(7, 6) == Counts{1});
  CHECK(packable_counts(0, 4).empty());
  CHECK(packable_counts(4, 0).empty());
}

TEST_CASE("each PU gets as many threads, and neighbours share one") {
  CHECK(team_places(4, {7, 3}) == Counts{7, 7, 3, 3});
  CHECK(team_places(3, {1}) == Counts{1, 1, 1});
  CHECK(team_places(4, {0, 1, 2}).empty());
  CHECK(team_places(4, {}).empty());
  CHECK(team_places(0, {1}).empty());
  CHECK(team_places(2, {1, 2, 3, 4}).empty());
}

TEST_CASE("random places use each divisor and each PU, and sometimes none") {
  RandomPlaces random({2, 3, 5, 7}, 1);
  std::map<std::size_t, int> counts;
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 400; ++i) {
    const Counts places = random.next(4);
    std::map<std::uint32_t, std::size_t> threads;
    for (const std::uint32_t pu : places) ++threads[pu];
    for (const auto& [pu, number] : threads) {
      CHECK(number == 4 / threads.size());
      seen.insert(pu);
    }
    ++counts[threads.size()];
  }
  CHECK(seen == std::set<std::uint32_t>{2, 3, 5, 7});
  for (const std::size_t count : {0U, 1U, 2U, 4U}) CHECK(counts[count] > 40);
  CHECK(counts.size() == 4);
  CHECK(random.next(0).empty());
}

}  // namespace huddle::runtime
