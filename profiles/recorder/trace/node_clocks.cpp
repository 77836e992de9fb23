#include "profiles/recorder/trace/node_clocks.hpp"

#include "profiles/recorder/process/tick_clock.hpp"

namespace huddle::recorder {
namespace {

constexpr int kRounds = 20;
// On nodes that are busy with other things no message may be quick: then more of them are tried.
constexpr int kMostRounds = 100;
constexpr std::uint64_t kGoodEnoughNs = 50'000;

// What rank 0 asks for.
constexpr char kEnough = 0;
constexpr char kAgain = 1;

// The best of some readings, each of which asks for `ticks_now` between two of rank 0's own.
template <class TicksNow>
ClockPoint best_of_rounds(TicksNow ticks_now) {
  ClockPoint best{0, 0, ~std::uint64_t{0}};
  for (int round = 0;
       round < kRounds || (round < kMostRounds && best.uncertainty_ns > kGoodEnoughNs); ++round) {
    const std::uint64_t before = TickClock::nanoseconds();
    const std::uint64_t ticks = ticks_now();
    const std::uint64_t took = TickClock::nanoseconds() - before;
    const std::uint64_t half = (took + 1) / 2;
    if (half < best.uncertainty_ns)
      best = {ticks, static_cast<std::int64_t>(before + took / 2), half};
  }
  return best;
}

void ask(const Channel& leaders, int rank) {
  const ClockPoint point = best_of_rounds([&] {
    const char word = kAgain;
    std::uint64_t ticks = 0;
    leaders.tell(rank, &word, sizeof word);
    leaders.hear(rank, &ticks, sizeof ticks);
    return ticks;
  });
  const char word = kEnough;
  leaders.tell(rank, &word, sizeof word);
  leaders.tell(rank, &point, sizeof point);
}

ClockPoint answer(const Channel& leaders) {
  for (char word = kAgain;;) {
    leaders.hear(0, &word, sizeof word);
    const std::uint64_t ticks = TickClock::now();
    if (word == kEnough) break;
    leaders.tell(0, &ticks, sizeof ticks);
  }
  ClockPoint point;
  leaders.hear(0, &point, sizeof point);
  return point;
}

}  // namespace

NodeClocks::NodeClocks(const Channel& all)
    : node_(all.of_node()), leaders_(all.of_those(node_.rank() == 0)) {}

ClockPoint NodeClocks::measure() const {
  ClockPoint point;
  if (leaders_) {
    if (leaders_->rank() == 0) {
      for (int rank = 1; rank < leaders_->ranks(); ++rank) ask(*leaders_, rank);
      point = best_of_rounds([] { return TickClock::now(); });
    } else {
      point = answer(*leaders_);
    }
  }
  node_.share_from_root(&point, sizeof point);
  return point;
}

}  // namespace huddle::recorder
