#include "spank_plugin/runtime/packing/team_clocks.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

namespace huddle::runtime {
namespace {

constexpr std::uint64_t kPatience = 100;

/// A rank on PUs 0 to 3, each with a clock of its own; PUs 4 and 3 share one, and 5 is another's.
struct RankOfFour {
  std::set<std::size_t> low;
  std::map<std::size_t, std::uint32_t> at_most;
  int asks = 0;
  TeamClocks clocks{{PuSet::parse("0"), PuSet::parse("1"), PuSet::parse("2"), PuSet::parse("3-4"),
                     PuSet::parse("5")},
                    PuSet::parse("0-3"),
                    kPatience,
                    [this](std::size_t clock, std::optional<std::uint32_t> khz, std::uint64_t) {
                      ++asks;
                      low.erase(clock);
                      if (!khz)
                        low.insert(clock);
                      else
                        at_most[clock] = *khz;
                    }};
};

using Clocks = std::set<std::size_t>;

}  // namespace

TEST_CASE("clocks of PUs that a team has left go down after a while, those of others never") {
  RankOfFour rank;
  rank.clocks.moves_to({0, 0, 1, 1}, 1000);
  rank.clocks.look(1000 + kPatience - 1);
  CHECK(rank.asks == 0);
  rank.clocks.look(1000 + kPatience);
  // 3 is shared with a PU that is not this rank's, 4 is another's.
  CHECK(rank.low == Clocks{2});
  CHECK(rank.clocks.lowered() == 1);
  rank.clocks.look(5000);
  CHECK(rank.asks == 1);
}

TEST_CASE("they are up again before the team comes back") {
  RankOfFour rank;
  rank.clocks.moves_to({0}, 1000);
  rank.clocks.look(2000);
  CHECK(rank.low == Clocks{1, 2});
  rank.clocks.moves_to({0, 1}, 2000);
  CHECK(rank.low == Clocks{2});
  rank.clocks.moves_to({}, 2001);
  CHECK(rank.low.empty());
}

TEST_CASE("teams that come and go faster than that change no clock") {
  RankOfFour rank;
  for (std::uint64_t now = 0; now < 100 * kPatience; now += kPatience / 2) {
    rank.clocks.moves_to({0}, now);
    rank.clocks.look(now + kPatience / 4);
    rank.clocks.moves_to({}, now + kPatience / 4);
    rank.clocks.look(now + kPatience / 2);
  }
  CHECK(rank.asks == 0);
}

TEST_CASE("a clock that stays empty while the team moves goes down as early as one that it left") {
  RankOfFour rank;
  rank.clocks.moves_to({0, 1}, 1000);
  rank.clocks.moves_to({0}, 1000 + kPatience / 2);
  rank.clocks.look(1000 + kPatience);
  CHECK(rank.low == Clocks{2});
  rank.clocks.look(1000 + 2 * kPatience);
  CHECK(rank.low == Clocks{1, 2});
}

TEST_CASE("a clock for a group of phases is that of all cores that are not empty") {
  RankOfFour rank;
  rank.clocks.run_at(1800000, 5);
  CHECK(rank.at_most ==
        std::map<std::size_t, std::uint32_t>{{0, 1800000}, {1, 1800000}, {2, 1800000}});
  rank.clocks.moves_to({0}, 1000);
  rank.clocks.look(2000);
  CHECK(rank.low == Clocks{1, 2});
  // Those that are low stay so, and come back at the group's clock.
  rank.clocks.run_at(1500000, 5);
  CHECK(rank.low == Clocks{1, 2});
  rank.clocks.moves_to({0, 1}, 2001);
  CHECK(rank.low == Clocks{2});
  CHECK(rank.at_most[0] == 1500000);
  CHECK(rank.at_most[1] == 1500000);
  CHECK(rank.clocks.slowed() == 2);
  rank.clocks.end();
  CHECK(rank.low.empty());
  for (const auto& [clock, khz] : rank.at_most) CHECK(khz == 0);
}

TEST_CASE("at the end all are up") {
  RankOfFour rank;
  rank.clocks.moves_to({0}, 1000);
  rank.clocks.look(2000);
  rank.clocks.end();
  CHECK(rank.low.empty());
}

}  // namespace huddle::runtime
