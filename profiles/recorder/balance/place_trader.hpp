#pragma once

#include <cstdint>
#include <functional>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"
#include "profiles/recorder/balance/trade_page.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recorder {

/// Why the ranks of a node trade places no more.
enum class WhyNoTrades : std::uint32_t {
  kNone,    ///< they may
  kSlower,  ///< the ranks that had moved computed more slowly than before
  kFailed,  ///< a rank could not be moved
  kLate,    ///< a rank did not come by for long, while another one was on its place already
};

/// A phrase for people; empty for kNone.
const char* text_of(WhyNoTrades reason) noexcept;

/// A rank's part in trading places inside its node, so that ranks with like loads have one clock
/// where cores share one (EnergyLB's coarse-grained case). At each balance point the last rank of
/// the node to get there decides for all; the others follow between two of their periods, when they
/// come by. Ranks that have moved and then compute more than kHarm slower than those that have not
/// go back for good, and the more trades there were, the longer it is to the next one.
///
/// Nothing waits. One thread: the rank's first.
class PlaceTrader {
 public:
  /// What a trade may cost those that move, as a share of their work.
  static constexpr double kHarm = 0.03;
  static constexpr std::uint32_t kLongestPause = 1024;
  /// Own periods for which a rank shares its new place with one that has not come by yet.
  static constexpr std::uint32_t kPatience = 3;

  /// Binds this process, which is bound to `from`, to `to`, and its clock with it; with `home` also
  /// if it gets no clock there. False, and nothing has changed, if it can't.
  using Go = std::function<bool(const PuSet& from, const PuSet& to, bool home)>;

  /// The rank has slot `slot` of the page, which must live as long as this, and is on that place.
  PlaceTrader(TradePage& page, std::uint32_t slot, ClockSteps steps, Go go);

  /// All ranks are at the same balance point: this rank's work, and the longest of all nodes.
  void balance_point(const Workload& work, Seconds longest) noexcept;
  /// Between two periods: goes where this rank should be. True if it went.
  bool follow() noexcept;

  /// How often ranks of this node have traded places so far. These two from any thread.
  [[nodiscard]] std::uint32_t trades() const { return page_.trades.load(); }
  [[nodiscard]] WhyNoTrades why_stopped() const {
    return static_cast<WhyNoTrades>(page_.stopped.load());
  }

 private:
  void decide(Seconds longest);
  [[nodiscard]] bool did_harm() const;
  void give_order() noexcept;
  void stop(WhyNoTrades reason) noexcept;
  bool go_to(std::uint32_t target) noexcept;
  void mind_who_was_here() noexcept;

  TradePage& page_;
  std::uint32_t slot_;
  ClockSteps steps_;
  Go go_;
  std::uint32_t place_;
  std::uint32_t followed_ = 0;
  std::uint32_t shared_for_ = 0;  // periods since it came here, while it may not be alone
  bool may_be_shared_ = false;
};

}  // namespace huddle::recorder
