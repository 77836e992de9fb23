#include "profiles/recorder/balance/place_trader.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/balancing/place_trade.hpp"

namespace huddle::recorder {

const char* text_of(WhyNoTrades reason) noexcept {
  switch (reason) {
    case WhyNoTrades::kNone:
      return "";
    case WhyNoTrades::kSlower:
      return "they computed more slowly on their new places, and went back";
    case WhyNoTrades::kFailed:
      return "a rank could not be moved, and all went back";
    case WhyNoTrades::kLate:
      return "a rank did not come by for long to make place for another one, and all went back";
  }
  return "";
}

PlaceTrader::PlaceTrader(TradePage& page, std::uint32_t slot, ClockSteps steps, Go go)
    : page_(page), slot_(slot), steps_(std::move(steps)), go_(std::move(go)), place_(slot) {}

// Nobody is at the next balance point before all have left this one behind: it takes a report of
// each rank that is made later. So the counter tells who is the last.
void PlaceTrader::balance_point(const Workload& work, Seconds longest) noexcept {
  TradePage::Slot& mine = page_.slots()[slot_];
  mine.work_s.store(work.time.value, std::memory_order_relaxed);
  mine.sensitivity.store(work.sensitivity, std::memory_order_relaxed);
  const std::uint64_t reached = page_.reached.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (reached % page_.ranks != 0 || page_.stopped.load() != 0) return;
  try {
    decide(longest);
  } catch (const std::exception&) {
    stop(WhyNoTrades::kFailed);
  }
}

void PlaceTrader::decide(Seconds longest) {
  ++page_.since;
  // The first balance point after a trade may have periods from before it.
  if (page_.since < 2) return;
  if (std::exchange(page_.on_trial, false) && did_harm()) {
    stop(WhyNoTrades::kSlower);
    return;
  }
  if (page_.since < page_.pause) return;
  std::vector<Workload> work(page_.ranks);
  std::vector<ClockPlace> places(page_.ranks);
  std::vector<std::uint32_t> on(page_.ranks);
  for (std::uint32_t slot = 0; slot < page_.ranks; ++slot) {
    const TradePage::Slot& each = page_.slots()[slot];
    const std::uint32_t place = each.target.load();
    if (place >= page_.ranks) return;
    work[place] = {{each.work_s.load()}, each.sensitivity.load()};
    on[place] = slot;
    places[slot] = each.place;
  }
  const std::optional<std::vector<std::uint32_t>> goes_to =
      worthwhile_trade(work, places, longest, steps_);
  if (!goes_to) return;
  for (std::uint32_t place = 0; place < page_.ranks; ++place) {
    TradePage::Slot& each = page_.slots()[on[place]];
    each.work_before_s = work[place].time.value;
    each.place_before = place;
    each.target.store((*goes_to)[place]);
  }
  ++page_.trades;
  page_.since = 0;
  page_.pause = std::min(kLongestPause, 2 * page_.pause);
  page_.on_trial = true;
  give_order();
}

// Loads change by themselves, too: those who moved are compared with those who stayed, if any did.
bool PlaceTrader::did_harm() const {
  double moved = 0;
  double moved_before = 0;
  double stayed = 0;
  double stayed_before = 0;
  for (const TradePage::Slot& each : page_.slots()) {
    const bool went = each.target.load() != each.place_before;
    (went ? moved : stayed) += each.work_s.load();
    (went ? moved_before : stayed_before) += each.work_before_s;
  }
  if (moved_before <= 0) return false;
  const double usual = stayed_before > 0 ? stayed / stayed_before : 1;
  return moved / moved_before > (1 + kHarm) * usual;
}

void PlaceTrader::give_order() noexcept {
  page_.orders.fetch_add(1, std::memory_order_release);
}

void PlaceTrader::stop(WhyNoTrades reason) noexcept {
  std::uint32_t none = 0;
  page_.stopped.compare_exchange_strong(none, static_cast<std::uint32_t>(reason));
  std::uint32_t home = 0;
  for (TradePage::Slot& each : page_.slots()) each.target.store(home++);
  give_order();
}

bool PlaceTrader::follow() noexcept {
  const std::uint32_t order = page_.orders.load(std::memory_order_acquire);
  if (order == followed_) {
    if (may_be_shared_) mind_who_was_here();
    return false;
  }
  followed_ = order;
  const std::uint32_t target = page_.slots()[slot_].target.load();
  if (target == place_ || target >= page_.ranks) return false;
  if (go_to(target)) return true;
  // One that can't go home stays where it is, whatever the others do.
  if (page_.stopped.load() == 0) stop(WhyNoTrades::kFailed);
  return false;
}

bool PlaceTrader::go_to(std::uint32_t target) noexcept {
  try {
    if (!go_(page_.pus_of(place_), page_.pus_of(target), page_.stopped.load() != 0)) return false;
  } catch (const std::exception&) {
    return false;
  }
  place_ = target;
  page_.slots()[slot_].on.store(target);
  may_be_shared_ = true;
  shared_for_ = 0;
  return true;
}

// Ranks that don't meet in each period may be at very different points of the program.
void PlaceTrader::mind_who_was_here() noexcept {
  std::uint32_t slot = 0;
  bool alone = true;
  for (const TradePage::Slot& each : page_.slots())
    alone = alone && (slot++ == slot_ || each.on.load() != place_);
  may_be_shared_ = !alone;
  if (!alone && ++shared_for_ >= kPatience && page_.stopped.load() == 0) stop(WhyNoTrades::kLate);
}

}  // namespace huddle::recorder
