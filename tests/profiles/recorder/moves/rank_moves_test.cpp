#include "profiles/recorder/moves/rank_moves.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <deque>
#include <memory>
#include <thread>

#include "tests/profiles/recorder/moves/durations.hpp"

namespace huddle::recorder {
namespace {

constexpr std::uint64_t kFirstBurst = MoveSchedule::kGrid;

PuSet pus(const char* list) {
  return PuSet::parse(list);
}

// 2 packages x 2 dies x 2 cores; core i has the PU i.
std::vector<PhysicalCore> node() {
  std::vector<PhysicalCore> cores;
  for (std::uint32_t i = 0; i < 8; ++i) {
    PhysicalCore core{i / 4, i / 2, i / 4, {}};
    core.pus.add(i);
    cores.push_back(core);
  }
  return cores;
}

// A node in a time of its own, a tick a ns: a pass takes as long as it is said to.
struct Node {
  explicit Node(std::uint32_t ranks) : page(NodePage::alone(ranks)) {}
  ~Node() { NodePage::close(page); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodePage* page;
  std::atomic<std::uint64_t> now{0};
  std::atomic<int> away{0};
  WhyNotMoved failure = WhyNotMoved::kNone;
};

struct Rank {
  Rank(Node& its_node, std::uint32_t number, const char* home)
      : node_(its_node),
        at(pus(home)),
        site(PhaseTracker::named_site("loop")),
        phases(0, nullptr),
        moves(*its_node.page, number, node(), pus(home), system()) {}

  RankMoves::System system() {
    return {[this](const PuSet& from, const PuSet& to) {
              if (node_.failure != WhyNotMoved::kNone) return node_.failure;
              CHECK(from == at);
              at = to;
              ++node_.away;
              return WhyNotMoved::kNone;
            },
            [this](const PuSet& from, const PuSet& to) {
              CHECK(from == at);
              at = to;
              --node_.away;
              return WhyNotMoved::kNone;
            },
            [this] { return pu; },
            [this] { return alone; },
            [this] { return node_.now.load(); },
            [this] { return node_.now.load(); }};
  }

  PassPlacement delimiter() {
    const std::uint64_t begin = node_.now.load();
    const PassPlacement placement = moves.pass_ends(begin, phases);
    phases.end_phase(site, begin, 0, placement);
    ++passes[static_cast<std::size_t>(placement)];
    phases.end_delimiter(begin);
    moves.pass_begins(phases);
    phases.begin_phase(node_.now.load(), 0);
    return placement;
  }
  [[nodiscard]] std::uint64_t count(PassPlacement placement) const {
    return passes[static_cast<std::size_t>(placement)];
  }

  Node& node_;
  PuSet at;
  bool alone = true;
  std::uint32_t pu = 0;  // where the kernel has put it
  CallSite site;
  PhaseTracker phases;
  std::array<std::uint64_t, kPassPlacements> passes{};
  RankMoves moves;
};

// Ranks that go through the same passes one after the other.
struct Ranks {
  explicit Ranks(std::initializer_list<const char*> homes)
      : node(static_cast<std::uint32_t>(homes.size())) {
    for (const char* home : homes) {
      ranks.push_back(std::make_unique<Rank>(node, static_cast<std::uint32_t>(ranks.size()), home));
    }
  }
  void run_until(std::uint64_t end, std::uint64_t pass = kMillisecond) {
    while (node.now < end) {
      node.now += node.away == 0 ? pass : pass * slower_percent / 100;
      for (const auto& rank : ranks) rank->delimiter();
    }
  }
  [[nodiscard]] WhyNotMoved end() {
    for (const auto& rank : ranks) rank->moves.end(rank->phases);
    for (const auto& rank : ranks) CHECK(rank->at == rank->moves.home());
    return ranks.front()->moves.outcome().why_not;
  }
  Node node;
  std::uint64_t slower_percent = 100;
  std::vector<std::unique_ptr<Rank>> ranks;
};

TEST_CASE("ranks are moved together for a while, and back") {
  Ranks all({"0", "2", "4", "6"});
  REQUIRE(all.ranks[0]->moves.obstacle() == WhyNotMoved::kNone);
  all.run_until(kFirstBurst - kMillisecond);
  CHECK(all.node.away == 0);
  all.run_until(kFirstBurst + 5 * kMillisecond);
  CHECK(all.node.away == 4);
  CHECK(all.ranks[1]->at == pus("1"));
  CHECK(all.ranks[2]->at == pus("4"));
  CHECK(all.ranks[3]->at == pus("5"));
  all.run_until(kFirstBurst + 60 * kMillisecond);
  CHECK(all.node.away == 0);
  CHECK(all.end() == WhyNotMoved::kNone);
  for (const auto& rank : all.ranks) {
    CHECK(rank->count(PassPlacement::kMoved) >= 45);
    CHECK(rank->count(PassPlacement::kMoved) <= 50);
    CHECK(rank->count(PassPlacement::kBetween) <= 6);
    CHECK(rank->moves.outcome().bursts == 1);
  }
  CHECK(all.ranks[1]->moves.outcome().pus == pus("1"));
}

TEST_CASE("what bursts cost is known, and stays below a 50th of the run") {
  Ranks all({"0", "2"});
  all.slower_percent = 150;
  all.run_until(20 * kFirstBurst);
  CHECK(all.end() == WhyNotMoved::kNone);
  const RankMoves::Outcome outcome = all.ranks[0]->moves.outcome();
  CHECK(outcome.bursts >= 18);
  const auto each = static_cast<double>(outcome.cost_ticks) / static_cast<double>(outcome.bursts);
  CHECK(each == doctest::Approx(17 * kMillisecond).epsilon(0.15));  // a third of 50 ms
  CHECK(outcome.cost_ticks < all.node.now / 50);
}

TEST_CASE("ranks that become much slower go back early, and are moved less often") {
  Ranks all({"0", "2"});
  all.slower_percent = 100 * 200;  // a pass of 1 ms takes 200 ms: a burst costs as long as a pass
  all.run_until(100 * kFirstBurst);
  CHECK(all.end() != WhyNotMoved::kTooShort);
  const RankMoves::Outcome outcome = all.ranks[0]->moves.outcome();
  CHECK(outcome.bursts >= 1);
  CHECK(outcome.bursts < 40);
  // At most one burst, here of two passes and what is across it, beyond the budget.
  CHECK(outcome.cost_ticks < all.node.now / 50 + 800 * kMillisecond);
}

TEST_CASE("runs that end before the first burst, or never do the same again, are not moved") {
  Ranks brief({"0", "2"});
  brief.run_until(kFirstBurst - kMillisecond);
  CHECK(brief.end() == WhyNotMoved::kTooShort);
  CHECK(brief.ranks[0]->moves.outcome().pus.empty());
  Ranks few({"0", "2"});
  few.run_until(6 * 1000 * kMillisecond, 1000 * kMillisecond);
  CHECK(few.end() == WhyNotMoved::kTooShort);
}

TEST_CASE("long passes get long bursts, later") {
  Ranks all({"0", "2"});
  const std::uint64_t pass = 100 * kMillisecond;  // bursts of 400 ms, from 25.6 s on
  all.run_until(8 * kFirstBurst - pass, pass);
  CHECK(all.ranks[0]->moves.outcome().bursts == 0);
  all.run_until(9 * kFirstBurst, pass);
  CHECK(all.ranks[0]->moves.outcome().bursts == 1);
  CHECK(all.ranks[0]->count(PassPlacement::kMoved) >= 2);
}

TEST_CASE("passes count only while all ranks are where they should be") {
  Ranks all({"0", "2"});
  all.run_until(kFirstBurst - kMillisecond);
  Rank& first = *all.ranks[0];
  Rank& second = *all.ranks[1];
  while (all.node.away == 0) {  // the first one alone goes on
    all.node.now += kMillisecond;
    first.delimiter();
  }
  for (int i = 0; i < 3; ++i) CHECK(first.delimiter() == PassPlacement::kBetween);
  CHECK(second.delimiter() == PassPlacement::kBetween);  // it began before the order
  CHECK(all.node.away == 2);
  CHECK(second.delimiter() == PassPlacement::kBetween);  // on caches that hold nothing yet
  first.delimiter();
  first.delimiter();
  CHECK(first.delimiter() == PassPlacement::kMoved);
  CHECK(second.delimiter() == PassPlacement::kMoved);
  second.moves.end(second.phases);
  CHECK(all.node.away == 1);
  CHECK(first.delimiter() == PassPlacement::kBetween);
  CHECK(all.node.away == 0);
}

TEST_CASE("who refuses to go ends it for all, and they are home again") {
  for (const WhyNotMoved reason : {WhyNotMoved::kRefused, WhyNotMoved::kBoundItself}) {
    Ranks all({"0", "2", "4", "6"});
    all.run_until(kFirstBurst - kMillisecond);
    all.node.failure = reason;
    all.run_until(4 * kFirstBurst);
    CHECK(all.node.away == 0);
    CHECK(all.end() == reason);
    CHECK(all.ranks[0]->moves.outcome().bursts == 1);
    CHECK(all.ranks[0]->count(PassPlacement::kMoved) == 0);
  }
}

TEST_CASE("ranks that nothing holds go onto dies of the packages where they are") {
  Ranks all({"0-7", "0-7", "0-7", "0-7"});
  REQUIRE(all.ranks[0]->moves.obstacle() == WhyNotMoved::kNone);
  for (std::size_t rank = 0; rank < 4; ++rank) all.ranks[rank]->pu = rank % 2 == 0 ? 3 : 5;
  all.run_until(kFirstBurst + 20 * kMillisecond);
  CHECK(all.node.away == 4);
  CHECK(all.ranks[0]->at == pus("3"));
  CHECK(all.ranks[2]->at == pus("2"));
  CHECK(all.ranks[1]->at == pus("5"));
  CHECK(all.ranks[3]->at == pus("4"));
  // The kernel has them exchange packages: where they were measured is not near their memory now.
  all.run_until(2 * kFirstBurst - 10 * kMillisecond);
  for (std::size_t rank = 0; rank < 4; ++rank) all.ranks[rank]->pu = rank % 2 == 0 ? 5 : 3;
  all.run_until(3 * kFirstBurst);
  CHECK(all.ranks[0]->moves.outcome().bursts == 1);
  CHECK(all.end() == WhyNotMoved::kNone);
}

TEST_CASE("ranks that nothing holds are left alone if one computes with several threads") {
  Ranks all({"0-7", "0-7", "0-7", "0-7"});
  for (std::size_t rank = 0; rank < 4; ++rank) all.ranks[rank]->pu = rank % 2 == 0 ? 3 : 5;
  all.ranks[2]->alone = false;
  all.run_until(3 * kFirstBurst);
  CHECK(all.node.away == 0);
  CHECK(all.end() == WhyNotMoved::kThreads);
}

TEST_CASE("a rank that was bound to one PU of its core gets one of the other core") {
  Node its_node(2);
  std::vector<PhysicalCore> smt;
  for (std::uint32_t i = 0; i < 4; ++i) {
    PhysicalCore core{0, i / 2, 0, {}};
    core.pus.add(i);
    core.pus.add(i + 4);
    smt.push_back(core);
  }
  PuSet target;
  RankMoves::System system = RankMoves::System::real();
  system.move = [&](const PuSet&, const PuSet& to) {
    target = to;
    return WhyNotMoved::kRefused;
  };
  system.ticks = system.nanoseconds = [&] { return its_node.now.load(); };
  RankMoves stays(*its_node.page, 0, smt, pus("0"), system);
  RankMoves goes(*its_node.page, 1, smt, pus("6"), system);
  const CallSite site = PhaseTracker::named_site("loop");
  PhaseTracker phases(0, nullptr);
  while (its_node.now < 2 * kFirstBurst) {
    its_node.now += kMillisecond;
    phases.end_phase(site, its_node.now, 0, goes.pass_ends(its_node.now, phases));
    phases.end_delimiter(its_node.now);
    goes.pass_begins(phases);
    phases.begin_phase(its_node.now, 0);
  }
  CHECK(target == pus("1"));
}

TEST_CASE("with ranks that run at the same time, no pass is booked where it was not") {
  constexpr int kRanks = 4;
  Ranks all({"0", "2", "4", "6"});
  std::atomic<int> wrong{0};
  std::barrier together(kRanks);
  std::vector<std::thread> threads;
  for (const auto& its : all.ranks)
    threads.emplace_back([&, rank = its.get()] {
      for (int i = 0; i < 20'000; ++i) {
        if (i % 64 == 0) together.arrive_and_wait();
        all.node.now += kMillisecond / 4;
        const int seen = all.node.away.load();  // in the midst of the pass
        const PassPlacement placement = rank->delimiter();
        if (placement == PassPlacement::kMoved && seen != kRanks) ++wrong;
        if (placement == PassPlacement::kUsual && seen != 0) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  std::uint64_t moved = 0;
  for (const auto& rank : all.ranks) moved += rank->count(PassPlacement::kMoved);
  CHECK(moved > 0);
  static_cast<void>(all.end());
  CHECK(all.node.away == 0);
}

}  // namespace
}  // namespace huddle::recorder
