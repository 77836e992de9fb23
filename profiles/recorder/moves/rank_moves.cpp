#include "profiles/recorder/moves/rank_moves.hpp"

#include <sched.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "profiles/recorder/moves/own_threads.hpp"
#include "profiles/recorder/moves/packed_placement.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

namespace {

constexpr std::uint32_t kNoCore = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
// Bursts in which no rank has had a whole pass; then it is given up.
constexpr std::uint64_t kFruitlessBursts = 4;
// The clocks' rates are not known well before.
constexpr std::uint64_t kFirstLook = 1'000'000;

std::vector<std::uint32_t> cores_by_pu(const std::vector<PhysicalCore>& cores) {
  std::vector<std::uint32_t> by_pu;
  for (std::uint32_t core = 0; core < cores.size(); ++core)
    for (const std::uint32_t pu : cores[core].pus.members()) {
      if (pu >= by_pu.size()) by_pu.resize(pu + 1, kNoCore);
      by_pu[pu] = core;
    }
  return by_pu;
}

}  // namespace

RankMoves::System RankMoves::System::real() {
  return {move_threads,   return_threads,        recorder::current_pu, recorder::computes_alone,
          TickClock::now, TickClock::nanoseconds};
}

RankMoves::RankMoves(NodePage& page, std::uint32_t slot, std::vector<PhysicalCore> cores,
                     PuSet home, System system)
    : page_(page),
      slot_number_(slot),
      cores_(std::move(cores)),
      core_of_pu_(cores_by_pu(cores_)),
      home_(std::move(home)),
      system_(std::move(system)) {
  hold_ = hold_of_home();
  this->slot().core.store(
      core_of(hold_ == Hold::kCore ? home_.members().front() : system_.current_pu()));
  this->slot().hold.store(static_cast<std::uint32_t>(hold_));
}

std::uint32_t RankMoves::core_of(std::uint32_t pu) const {
  return pu < core_of_pu_.size() ? core_of_pu_[pu] : kNoCore;
}

Hold RankMoves::hold_of_home() const {
  Hold hold = Hold::kCore;
  std::uint32_t first = kNoCore;
  for (const std::uint32_t pu : home_.members()) {
    const std::uint32_t core = core_of(pu);
    if (core == kNoCore) return Hold::kNothing;
    if (first == kNoCore) first = core;
    if (core != first) hold = std::max(hold, Hold::kDie);
    if (cores_[core].die != cores_[first].die) hold = Hold::kNothing;
  }
  return first == kNoCore ? Hold::kNothing : hold;
}

NodeRanks RankMoves::ranks_now() const {
  NodeRanks ranks;
  for (const NodePage::Slot& rank : page_.slots()) {
    ranks.hold = std::max(ranks.hold, static_cast<Hold>(rank.hold.load()));
    ranks.core_of.push_back(rank.core.load());
  }
  return ranks;
}

WhyNotMoved RankMoves::obstacle() const {
  if (cores_.empty()) return WhyNotMoved::kNoTopology;
  NodeRanks ranks = ranks_now();
  if (ranks.hold == Hold::kNothing) ranks.core_of = widest_cores(cores_, ranks.core_of.size());
  const bool all = ranks.core_of.size() == page_.ranks;
  return all && packed_placement(cores_, ranks) ? WhyNotMoved::kNone : WhyNotMoved::kNothingDenser;
}

PassPlacement RankMoves::pass_ends(std::uint64_t now, const PhaseTracker& phases) {
  const bool whole = together_at_begin_ && page_.order.load() == order_at_begin_;
  if (now >= page_.due.load(std::memory_order_relaxed)) [[unlikely]]
    consider(now, phases);
  if (!whole) return PassPlacement::kBetween;
  if (order_at_begin_ % 2 == 0) return PassPlacement::kUsual;
  slot().passes.fetch_add(1, std::memory_order_relaxed);
  return PassPlacement::kMoved;
}

void RankMoves::pass_begins(const PhaseTracker& phases) {
  const std::uint64_t order = page_.order.load();
  if (order > followed_) [[unlikely]]
    follow(order, phases);
  if (away_ && over_budget(phases)) page_.due.store(0);
  if (hold_ != Hold::kCore && !away_)
    slot().core.store(core_of(system_.current_pu()), std::memory_order_relaxed);
  order_at_begin_ = order;
  // Read after the order: a rank that is late for an older one counts itself as away, and then sees
  // this one.
  const bool all_here = away_ ? page_.arrived.load() == page_.ranks : page_.away.load() == 0;
  together_at_begin_ = order == followed_ && away_ == (order % 2 == 1) && all_here;
  if (!together_at_begin_) return;
  if (cold_) {
    cold_ = false;
    together_at_begin_ = false;
  } else if (unsettled_ && !away_) {
    settle(phases.extra_ticks() - extra_before_);
  }
}

// ---- Orders.

void RankMoves::consider(std::uint64_t now, const PhaseTracker& phases) {
  if (page_.deciding.exchange(true)) return;
  struct Release {
    ~Release() { deciding.store(false); }
    std::atomic<bool>& deciding;
  };
  const Release release{page_.deciding};
  if (now < page_.due.load()) return;  // another rank was here just before
  if (page_.order.load() % 2 == 0) return consider_burst(now, phases);
  page_.due.store(0);  // the next delimiter looks when there may be another burst
  end_burst();
}

void RankMoves::end_burst() noexcept {
  std::uint64_t order = page_.order.load();
  if (order % 2 == 1) page_.order.compare_exchange_strong(order, order + 1);
}

void RankMoves::consider_burst(std::uint64_t now, const PhaseTracker& phases) {
  if (page_.stopped.load() != 0 || page_.ended.load()) return page_.due.store(kNever);
  const std::uint64_t elapsed = system_.nanoseconds() - page_.began_ns;
  if (elapsed < kFirstLook || now <= page_.began_ticks) return;
  const double ticks_per_ns =
      static_cast<double>(now - page_.began_ticks) / static_cast<double>(elapsed);
  const auto ticks = [&](std::uint64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns);
  };
  page_.due.store(page_.began_ticks + ticks(MoveSchedule::next_after(elapsed)));
  const std::uint64_t before = page_.looked_at.exchange(elapsed);
  const std::uint64_t period = phases.longest_period(now - page_.began_ticks);
  if (period == 0) return;
  const std::uint64_t burst = MoveSchedule::burst_for(
      static_cast<std::uint64_t>(static_cast<double>(period) / ticks_per_ns));
  if (!MoveSchedule::due(before, elapsed, burst) || page_.away.load() != 0) return;
  if (!affordable(elapsed, burst, ticks_per_ns) || !choose_targets()) return;
  page_.bursts.fetch_add(1);
  page_.due.store(now + ticks(burst));
  page_.order.fetch_add(1);
}

bool RankMoves::affordable(std::uint64_t elapsed_ns, std::uint64_t burst_ns,
                           double ticks_per_ns) const {
  std::uint64_t spent = 0;
  std::uint64_t dearest = 0;
  std::uint64_t passes = 0;
  for (const NodePage::Slot& slot : page_.slots()) {
    spent = std::max(spent, slot.spent.load());
    dearest = std::max(dearest, slot.dearest.load());
    passes += slot.passes.load();
  }
  if (page_.bursts.load() >= kFruitlessBursts && passes == 0) {
    page_.stopped.store(static_cast<std::uint32_t>(WhyNotMoved::kNotTogether));
    return false;
  }
  const auto ns = [&](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) / ticks_per_ns);
  };
  const std::uint64_t expected = page_.bursts.load() == 0 ? burst_ns : ns(dearest);
  return MoveSchedule::affordable(elapsed_ns, ns(spent), expected);
}

// A rank keeps its target: what was measured there is one placement. A rank that nothing holds may
// have been taken to other memory meanwhile; it would not be measured fairly there.
bool RankMoves::choose_targets() {
  if (page_.has_targets.load()) {
    const auto slots = page_.slots();
    return std::all_of(slots.begin(), slots.end(), [&](const NodePage::Slot& rank) {
      if (rank.core.load() == kNoCore) return false;
      const PhysicalCore& now = cores_[rank.core.load()];
      const PhysicalCore& target = cores_[rank.target.load()];
      return now.package == target.package && now.numa_node == target.numa_node;
    });
  }
  const auto targets = packed_placement(cores_, ranks_now());
  if (!targets) return false;
  for (std::size_t i = 0; i < targets->size(); ++i) page_.slots()[i].target.store((*targets)[i]);
  page_.has_targets.store(true);
  return true;
}

void RankMoves::stop(WhyNotMoved reason) noexcept {
  std::uint32_t none = 0;
  page_.stopped.compare_exchange_strong(none, static_cast<std::uint32_t>(reason));
  page_.due.store(0);  // the next delimiter ends a burst that is under way
}

// ---- Following them.

void RankMoves::follow(std::uint64_t order, const PhaseTracker& phases) {
  if (!std::exchange(unsettled_, true)) extra_before_ = phases.extra_ticks();
  const std::uint64_t begin = system_.ticks();
  if (away_) go_home();
  followed_ = order;
  if (order % 2 == 1 && !gather(order)) followed_ = order + 1;  // as if the burst were over
  cold_ = true;
  switching_ += system_.ticks() - begin;
}

// A rank counts itself as away before it reads the order again: a rank that saw a later order and
// no rank away can be sure that none will move for the older one.
bool RankMoves::gather(std::uint64_t order) {
  page_.away.fetch_add(1);
  if (page_.order.load() == order) {
    const WhyNotMoved failure = hold_ != Hold::kCore && !system_.computes_alone()
                                    ? WhyNotMoved::kThreads
                                    : system_.move(home_, pus_on(slot().target.load()));
    if (failure == WhyNotMoved::kNone) {
      was_away_.store(true);
      page_.arrived.fetch_add(1);
      return away_ = true;
    }
    stop(failure);
  }
  page_.away.fetch_sub(1);
  return false;
}

void RankMoves::go_home() {
  page_.arrived.fetch_sub(1);
  const WhyNotMoved failure = system_.take_back(pus_on(slot().target.load()), home_);
  if (failure != WhyNotMoved::kNone) stop(failure);
  away_ = false;
  page_.away.fetch_sub(1);
}

// A rank that was bound to one of its core's PUs gets one of the other core's.
PuSet RankMoves::pus_on(std::uint32_t core) const {
  const PuSet& all = cores_.at(core).pus;
  if (hold_ != Hold::kCore || home_.size() >= all.size()) return all;
  if (slot().core.load() == core) return home_;
  PuSet some;
  for (std::size_t i = 0; i < home_.size(); ++i) some.add(all.members()[i]);
  return some;
}

// ---- Their cost.

void RankMoves::settle(std::int64_t extra) noexcept {
  unsettled_ = false;
  const std::uint64_t cost =
      static_cast<std::uint64_t>(std::max<std::int64_t>(extra, 0)) + std::exchange(switching_, 0);
  slot().spent.fetch_add(cost);
  slot().dearest.store(std::max(slot().dearest.load(), cost));
}

bool RankMoves::over_budget(const PhaseTracker& phases) const {
  const std::int64_t extra = std::max<std::int64_t>(phases.extra_ticks() - extra_before_, 0);
  return !MoveSchedule::affordable(system_.ticks() - page_.began_ticks, slot().spent.load(),
                                   static_cast<std::uint64_t>(extra));
}

// ---- The end.

void RankMoves::end(const PhaseTracker& phases) noexcept {
  page_.ended.store(true);
  page_.due.store(0);
  end_burst();
  if (away_) go_home();
  if (unsettled_) settle(phases.extra_ticks() - extra_before_);
}

void RankMoves::end_in_child() noexcept {
  if (!away_) return;
  try {
    home_.bind_this_thread();
  } catch (const Error&) {  // it runs all the same
  }
}

RankMoves::Outcome RankMoves::outcome() const {
  Outcome outcome;
  std::uint64_t passes = 0;
  for (const NodePage::Slot& rank : page_.slots()) passes += rank.passes.load();
  if (was_away_.load()) outcome.pus = pus_on(slot().target.load());
  outcome.bursts = page_.bursts.load();
  outcome.cost_ticks = slot().spent.load();
  outcome.why_not = static_cast<WhyNotMoved>(page_.stopped.load());
  if (outcome.why_not == WhyNotMoved::kNone && passes == 0)
    outcome.why_not = outcome.bursts == 0 ? WhyNotMoved::kTooShort : WhyNotMoved::kNotTogether;
  return outcome;
}

}  // namespace huddle::recorder
