// A rank that goes to another place and back, with a keeper and after the keeper is gone. These
// move the threads of this process.
#include "profiles/recorder/balance/keeper_desk.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "profiles/recorder/balance/place_trader.hpp"
#include "profiles/recorder/balance/trade_page.hpp"
#include "profiles/recorder/moves/own_threads.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::recorder {
namespace {

PuSet just(std::uint32_t pu) {
  PuSet pus;
  pus.add(pu);
  return pus;
}

/// This process on the first PU that it may run on, with a keeper of the clocks of this one and of
/// the second one. In the end it may run where it could before.
class TwoPlaces {
 public:
  TwoPlaces() : all_(PuSet::of_this_thread()) {
    home = just(all_.members().at(0));
    away = just(all_.members().at(1));
    node.envelope[0].pus = home;
    node.envelope[1].pus = away;
    REQUIRE(move_threads(all_, home) == WhyNotMoved::kNone);
    kept.emplace(node);
    desk.emplace(kept->socket(), home);
  }
  ~TwoPlaces() { return_threads(PuSet::of_this_thread(), all_); }
  TwoPlaces(const TwoPlaces&) = delete;
  TwoPlaces& operator=(const TwoPlaces&) = delete;

  [[nodiscard]] bool has(std::uint32_t clock, std::uint32_t khz) const {
    return happens([&] { return node.most(clock) == khz; });
  }

 private:
  PuSet all_;

 public:
  PuSet home;
  PuSet away;
  NodeOfFiles node;
  std::optional<KeptNode> kept;
  std::optional<KeeperDesk> desk;
};

bool has_two_places() {
  return PuSet::of_this_thread().size() >= 2;
}

}  // namespace

TEST_CASE("a rank takes along what it asked for, and lets the clock go that it leaves") {
  if (!has_two_places()) return;
  TwoPlaces two;
  two.desk->ask({1.5e9}, {0});
  CHECK(two.has(0, 1'500'000));
  CHECK(two.desk->go(two.home, two.away, false));
  CHECK(PuSet::of_this_thread() == two.away);
  CHECK(two.has(1, 1'500'000));
  CHECK(two.has(0, kTopKhz));
  CHECK(two.desk->go(two.away, two.home, false));
  CHECK(PuSet::of_this_thread() == two.home);
  CHECK(two.has(0, 1'500'000));
  CHECK(two.has(1, kTopKhz));
  CHECK(two.desk->alive());
}

TEST_CASE("without its keeper a rank goes nowhere but home, and balances no more") {
  if (!has_two_places()) return;
  TwoPlaces two;
  REQUIRE(two.desk->go(two.home, two.away, false));
  two.kept->end();
  CHECK_FALSE(two.desk->go(two.away, two.home, false));
  CHECK(PuSet::of_this_thread() == two.away);
  CHECK(two.desk->go(two.away, two.home, true));
  CHECK(PuSet::of_this_thread() == two.home);
  CHECK_FALSE(two.desk->alive());
}

TEST_CASE("ranks that have traded places go home if the keeper dies before the next trade") {
  if (!has_two_places()) return;
  TwoPlaces two;
  TradePage* const page = TradePage::alone(2);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    page->slots()[slot].place = {0, 0, 1};
    page->slots()[slot].pus[0] = (slot == 0 ? two.home : two.away).members().front();
  }
  const ClockSteps steps = two.desk->steps();
  const auto order = [page](std::uint32_t of_first, std::uint32_t of_second) {
    page->slots()[0].target.store(of_first);
    page->slots()[1].target.store(of_second);
    page->orders.fetch_add(1);
  };
  {
    PlaceTrader first(*page, 0, steps, [&](const PuSet& from, const PuSet& to, bool home) {
      return two.desk->go(from, to, home);
    });
    // Another process, which has no keeper any more either once that is gone.
    bool keeper_lives = true;
    PlaceTrader second(*page, 1, steps,
                       [&](const PuSet&, const PuSet&, bool home) { return keeper_lives || home; });
    order(1, 0);
    CHECK(first.follow());
    CHECK(second.follow());
    CHECK(PuSet::of_this_thread() == two.away);

    two.kept->end();
    keeper_lives = false;
    order(1, 1);  // the second one has to go again, and can't
    CHECK_FALSE(second.follow());
    CHECK(second.why_stopped() == WhyNoTrades::kFailed);
    CHECK(first.follow());
    CHECK(PuSet::of_this_thread() == two.home);
    CHECK(second.follow());
    CHECK(page->slots()[0].on == 0);
    CHECK(page->slots()[1].on == 1);
    CHECK_FALSE(two.desk->alive());
  }
  TradePage::close(page);
}

}  // namespace huddle::recorder
