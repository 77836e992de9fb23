#include "profiles/recorder/balance/place_trader.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace huddle::recorder {
namespace {

const ClockSteps kSteps({{1.2e9}, {1.4e9}, {1.6e9}, {1.8e9}, {2.0e9}, {2.2e9}, {2.4e9}});

/// The ranks of a node in one process: two PUs share a clock, rank i begins on PU 10 + i.
struct Node {
  explicit Node(std::uint32_t count) : page(TradePage::alone(count)) {
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      TradePage::Slot& slot = page->slots()[rank];
      slot.place = {rank / 2, 0, 1};
      slot.pus[0] = 10 + rank;
      on.push_back(10 + rank);
      moves.push_back(0);
      refuses.push_back(false);
    }
    for (std::uint32_t rank = 0; rank < count; ++rank)
      ranks.push_back(std::make_unique<PlaceTrader>(
          *page, rank, kSteps, [this, rank](const PuSet& from, const PuSet& to, bool home) {
            REQUIRE(from.members() == std::vector<std::uint32_t>{on[rank]});
            if (refuses[rank]) return false;
            CHECK(home == (page->stopped != 0));
            on[rank] = to.members().front();
            ++moves[rank];
            return true;
          }));
  }
  ~Node() { TradePage::close(page); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void balance_point(const std::vector<double>& seconds) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      ranks[rank]->balance_point({{seconds[rank]}, 1}, {1});
  }
  void follow() {
    for (const auto& rank : ranks) rank->follow();
  }
  void points(int count, const std::vector<double>& seconds) {
    for (int i = 0; i < count; ++i) balance_point(seconds), follow();
  }
  [[nodiscard]] std::uint32_t clock_of(std::size_t rank) const { return (on[rank] - 10) / 2; }

  TradePage* page;
  std::vector<std::uint32_t> on;
  std::vector<int> moves;
  std::vector<bool> refuses;
  std::vector<std::unique_ptr<PlaceTrader>> ranks;
};

const std::vector<double> kTurns = {1, 0.5, 1, 0.5};

TEST_CASE("ranks trade places once two balance points are known, and stay there") {
  Node node(4);
  node.points(1, kTurns);
  CHECK(node.ranks[0]->trades() == 0);
  node.points(1, kTurns);
  CHECK(node.ranks[0]->trades() == 1);
  CHECK(node.clock_of(0) == node.clock_of(2));
  CHECK(node.clock_of(1) == node.clock_of(3));
  CHECK(node.clock_of(0) != node.clock_of(1));
  const std::vector<std::uint32_t> on = node.on;
  node.points(100, kTurns);
  CHECK(node.on == on);
  CHECK(node.ranks[3]->trades() == 1);
  CHECK(node.ranks[3]->why_stopped() == WhyNoTrades::kNone);
}

TEST_CASE("a rank goes when it comes by, not when another one decides") {
  Node node(4);
  node.balance_point(kTurns);
  node.balance_point(kTurns);
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
  int moved = 0;
  for (const auto& rank : node.ranks) {
    moved += rank->follow() ? 1 : 0;
    CHECK_FALSE(rank->follow());
  }
  CHECK(moved == 2);
}

TEST_CASE("the more often loads have moved, the longer ranks stay") {
  Node node(4);
  const std::vector<double> others = {1, 1, 0.5, 0.5};
  const std::vector<double> again = {1, 0.5, 0.5, 1};
  std::vector<std::uint32_t> at;
  for (std::uint32_t point = 1; point <= 200; ++point) {
    const std::uint32_t before = node.page->trades;
    // Each time as is worst for where they are.
    const bool sorted = node.clock_of(0) == node.clock_of(1);
    node.points(1, sorted ? kTurns : (node.clock_of(0) == node.clock_of(2) ? others : again));
    if (node.page->trades != before) at.push_back(point);
  }
  REQUIRE(at.size() >= 4);
  CHECK(at.size() <= 8);
  for (std::size_t i = 2; i < at.size(); ++i)
    CHECK(at[i] - at[i - 1] >= 2 * (at[i - 1] - at[i - 2]));
}

TEST_CASE("ranks that compute more slowly on their new places go back for good") {
  Node node(4);
  node.points(2, kTurns);
  std::vector<double> slower = kTurns;
  for (std::size_t rank = 0; rank < 4; ++rank)
    if (node.moves[rank] > 0) slower[rank] *= 1.05;
  node.points(2, slower);
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
  CHECK(node.ranks[0]->why_stopped() == WhyNoTrades::kSlower);
  node.points(100, kTurns);
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
}

TEST_CASE("if all ranks have more to do afterwards, the trade is not blamed for it") {
  Node node(4);
  node.points(2, kTurns);
  std::vector<double> more = kTurns;
  for (double& each : more) each *= 1.2;
  node.points(10, more);
  CHECK(node.ranks[0]->why_stopped() == WhyNoTrades::kNone);
  CHECK(node.clock_of(0) == node.clock_of(2));
}

TEST_CASE("if one rank can't be moved, the others go back, whoever comes by first") {
  for (std::size_t refusing = 0; refusing < 4; ++refusing) {
    CAPTURE(refusing);
    Node node(4);
    node.refuses[refusing] = true;
    node.points(2, kTurns);
    const bool was_to_go = node.ranks[0]->why_stopped() != WhyNoTrades::kNone;
    node.points(3, kTurns);
    if (was_to_go) {
      CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
      CHECK(node.ranks[0]->why_stopped() == WhyNoTrades::kFailed);
    } else {
      CHECK(node.moves[refusing] == 0);
    }
  }
}

TEST_CASE("ranks go back if one doesn't come by for some periods of theirs") {
  Node node(4);
  node.balance_point(kTurns);
  node.balance_point(kTurns);
  std::size_t late = 0;
  while (node.page->slots()[late].target == late) ++late;
  for (std::uint32_t period = 0; period < 10; ++period)
    for (std::size_t rank = 0; rank < 4; ++rank)
      if (rank != late) node.ranks[rank]->follow();
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
  CHECK(node.ranks[0]->why_stopped() == WhyNoTrades::kLate);
  node.ranks[late]->follow();
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
  CHECK(node.moves[late] == 0);
}

TEST_CASE("a rank that comes by a period later is waited for") {
  Node node(4);
  node.balance_point(kTurns);
  node.balance_point(kTurns);
  std::size_t late = 0;
  while (node.page->slots()[late].target == late) ++late;
  for (std::size_t rank = 0; rank < 4; ++rank)
    if (rank != late) node.ranks[rank]->follow();
  node.follow();
  for (int period = 0; period < 10; ++period) node.follow();
  CHECK(node.ranks[0]->why_stopped() == WhyNoTrades::kNone);
  CHECK(node.clock_of(0) == node.clock_of(2));
}

TEST_CASE("with a damaged page nobody moves to a place that is none") {
  Node node(4);
  node.page->slots()[1].target = 1000;
  node.points(10, kTurns);
  CHECK(node.on == std::vector<std::uint32_t>{10, 11, 12, 13});
}

}  // namespace
}  // namespace huddle::recorder
