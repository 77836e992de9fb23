#pragma once

// Moves the ranks of a node onto fewer cores for parts of a measured run, so that one run gives
// samples of two placements.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/recorder/moves/node_page.hpp"
#include "profiles/recorder/moves/own_threads.hpp"
#include "profiles/recorder/moves/packed_placement.hpp"
#include "profiles/recorder/profile/phases.hpp"

namespace huddle::recorder {

/// When the ranks of a node are moved, and for how long: in bursts, each followed by a pause of 63
/// times its length at least, the first one not before 64 times its length. So however slow the
/// ranks are meanwhile, at most 1/64 of the run's time is lost, and what a burst takes longer than
/// it should; and what was really lost stops it at kShare. Bursts begin at multiples of 64 times
/// their length since the start of the run, and lengths are powers of two: so the nodes of a run,
/// which do not communicate, move at the same times, and a program in which all wait for the
/// slowest is slowed down by one of them and not by each in turn.
///
/// All times are in ns since the start of the run, which is the same on all ranks of a node and, as
/// near as MPI_Init ends at one time, on all nodes. Pure functions.
struct MoveSchedule {
  /// The most that moving may cost, as a share of the run's time so far.
  static constexpr double kShare = 0.02;
  static constexpr std::uint64_t kShortestBurst = 50'000'000;
  static constexpr std::uint64_t kEvery = 64;
  /// Between two moments at which a burst may begin.
  static constexpr std::uint64_t kGrid = kEvery * kShortestBurst;
  /// Passes of each phase group in a burst: one across the move, one on cold caches, one to count.
  static constexpr std::uint64_t kPasses = 3;

  /// The length of bursts for phases that come again after `period`.
  static std::uint64_t burst_for(std::uint64_t period) {
    constexpr std::uint64_t kLongest = kShortestBurst << 24U;  // a quarter of a century's run
    std::uint64_t burst = kShortestBurst;
    while (burst < kLongest && burst / kPasses < period) burst *= 2;
    return burst;
  }

  /// The next moment after `now` at which a burst may begin.
  static std::uint64_t next_after(std::uint64_t now) { return (now / kGrid + 1) * kGrid; }

  /// Whether a moment at which a burst of that length may begin was passed since `before`.
  static bool due(std::uint64_t before, std::uint64_t now, std::uint64_t burst) {
    const std::uint64_t period = kEvery * burst;
    return now / period > before / period;
  }

  /// Whether another `expected` may be lost, after `spent`.
  static bool affordable(std::uint64_t now, std::uint64_t spent, std::uint64_t expected) {
    return static_cast<double>(spent) + static_cast<double>(expected) <=
           kShare * static_cast<double>(now);
  }
};

/// A rank's part in moving the ranks of its node together for bursts of some iterations, so that
/// one run is measured on two placements. At each of its delimiters a rank checks whether an order
/// is due, and gives it if so; and it follows the latest one. No rank waits for another: passes
/// count only if they began and ended while all ranks of the node were in place.
///
/// The thread whose phases are the rank's calls all members but outcome() and home(), which are
/// safe from any thread.
class RankMoves {
 public:
  /// What it needs of the system; tests provide their own.
  struct System {
    /// move_threads() and return_threads().
    std::function<WhyNotMoved(const PuSet& from, const PuSet& to)> move;
    std::function<WhyNotMoved(const PuSet& from, const PuSet& to)> take_back;
    std::function<std::uint32_t()> current_pu;
    std::function<bool()> computes_alone;
    /// TickClock's.
    std::function<std::uint64_t()> ticks;
    std::function<std::uint64_t()> nanoseconds;

    static System real();
  };

  /// The rank is `slot` of the page's ranks, on a node of these cores, and may use `home` now. The
  /// page must live as long as this.
  RankMoves(NodePage& page, std::uint32_t slot, std::vector<PhysicalCore> cores, PuSet home,
            System system = System::real());

  /// Why the ranks can't be moved, once all of them have made this; kNone if they can. The same
  /// answer on all ranks of a node.
  [[nodiscard]] WhyNotMoved obstacle() const;

  /// A delimiter has begun at `now`, in ticks: where the ranks were during the pass that has ended.
  PassPlacement pass_ends(std::uint64_t now, const PhaseTracker& phases);
  /// A delimiter has ended and the next pass begins: follows the latest order. Both throw
  /// std::bad_alloc.
  void pass_begins(const PhaseTracker& phases);
  /// The rank goes home for good; and so do all others of its node, at their next delimiters.
  void end(const PhaseTracker& phases) noexcept;
  /// In a child made by fork(): the calling thread goes home, the page is the parent's.
  void end_in_child() noexcept;

  struct Outcome {
    /// Where it was moved to; empty if it never was.
    PuSet pus;
    std::uint64_t bursts = 0;
    /// What it cost: how much longer the passes lasted that were not usual than these usually do,
    /// their delimiters included, and the moving itself.
    std::uint64_t cost_ticks = 0;
    WhyNotMoved why_not = WhyNotMoved::kNone;
  };
  [[nodiscard]] Outcome outcome() const;
  /// Where the rank is but for the bursts.
  [[nodiscard]] const PuSet& home() const { return home_; }

 private:
  void consider(std::uint64_t now, const PhaseTracker& phases);
  void end_burst() noexcept;
  void consider_burst(std::uint64_t now, const PhaseTracker& phases);
  bool affordable(std::uint64_t elapsed_ns, std::uint64_t burst_ns, double ticks_per_ns) const;
  bool choose_targets();
  [[nodiscard]] NodeRanks ranks_now() const;
  void follow(std::uint64_t order, const PhaseTracker& phases);
  bool gather(std::uint64_t order);
  void go_home();
  void settle(std::int64_t extra) noexcept;
  void stop(WhyNotMoved reason) noexcept;
  [[nodiscard]] NodePage::Slot& slot() const { return page_.slots()[slot_number_]; }
  [[nodiscard]] std::uint32_t core_of(std::uint32_t pu) const;
  [[nodiscard]] Hold hold_of_home() const;
  [[nodiscard]] PuSet pus_on(std::uint32_t core) const;
  [[nodiscard]] bool over_budget(const PhaseTracker& phases) const;

  NodePage& page_;
  std::uint32_t slot_number_;
  std::vector<PhysicalCore> cores_;
  std::vector<std::uint32_t> core_of_pu_;  // kNoCore: not known
  PuSet home_;
  System system_;
  Hold hold_ = Hold::kNothing;
  std::uint64_t followed_ = 0;  // the latest order
  bool away_ = false;
  std::atomic<bool> was_away_{false};
  bool cold_ = false;  // caches hold what the last place needed
  // Of the pass that is under way.
  std::uint64_t order_at_begin_ = 0;
  bool together_at_begin_ = true;
  // Of the burst whose cost is not known yet.
  bool unsettled_ = false;
  std::int64_t extra_before_ = 0;
  std::uint64_t switching_ = 0;
};

}  // namespace huddle::recorder
