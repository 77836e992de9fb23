#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiles/balancing/clock_sensitivity.hpp"
#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/work_distribution.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::charm {

/// A PE (processing element) of Charm++, a thread that runs chares, since the last balance point.
struct PeLoad {
  /// Time of its work besides chares, without idling, by the clock on the wall.
  Seconds background;
  /// The factor by which it is faster than a PE of speed 1 with the same clock; above 0.
  double speed = 1;
  /// Else no chare may be put there, and those that can leave must.
  bool available = true;
  /// Mean while it worked; 0: not known, the top clock is assumed.
  Hertz achieved;
  /// A number that the PEs which share its clock have in common. Each its own is the fine-grained
  /// (FG) variant of EnergyLB, all of a package the same the coarse-grained (CG) one.
  std::uint32_t clock_domain = 0;
};

/// A chare, since the last balance point.
struct ChareLoad {
  /// As it was measured on its PE, by the clock on the wall.
  Seconds time;
  std::uint32_t pe = 0;
  bool migratable = true;
  /// Workload::sensitivity; not looked at where it is learnt.
  double sensitivity = 1;
};

/// Messages that chares sent to each other, in one direction or both.
struct ChareLink {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// Facts that a balance point starts from. Indices are those of the vectors.
struct ChareLoads {
  std::vector<PeLoad> pes;
  std::vector<ChareLoad> chares;
  std::vector<ChareLink> links;
  /// Since the last balance point, by the clock on the wall; only leases depend on it.
  Seconds interval;
};

/// Who moves chares. Greedy makes steps the shortest, and moves nearly all; refine moves few. Those
/// with links count what messages between PEs cost.
enum class ChareBalancer : std::uint8_t { kNone, kGreedy, kRefine, kGreedyComm, kRefineComm };
/// "greedy_comm", as options name them.
std::string_view name_of(ChareBalancer balancer);

struct EnergySettings {
  ChareBalancer balancer = ChareBalancer::kRefine;
  /// Costs of a message, and of each of its bytes, to either end while these are on different PEs.
  /// Charm++'s own defaults (+LBAlpha, +LBBeta).
  Seconds per_message{3.5e-5};
  Seconds per_byte{8.5e-9};
  /// Chares move where clocks can't level loads out (the published condition) if that makes an
  /// interval shorter by more than `least_gain`, as a share; else, and where there is but one
  /// clock, by more than `worthwhile`: less time saves more than lower clocks do.
  double worthwhile = 0.05;
  double least_gain = 0.01;
  /// The longest load over the mean that refine leaves.
  double tolerance = 1.02;
  /// Number of balance points in a row that must agree before a clock falls; 1 or more. It rises at
  /// once: loads jump, and a clock too low costs more than one too high.
  std::uint32_t patience = 2;
  /// True if each PE's sensitivity is learnt from what its time does when its clock changes, and
  /// that of the chares is not used. Until something is known clocks are chosen as if all work
  /// followed them. Intervals should be of as many steps each.
  bool learn_sensitivity = true;
  /// A clock below the top is asked for as many times the length of an interval, in case that no
  /// balance point follows: then work may be another's. 0: for as long as it likes.
  double lease = 3;
};

/// The decision at a balance point, and the reasons for it.
struct EnergyDecision {
  /// The PE of each chare.
  balancing::WorkPlacement pe_of;
  /// Clocks to ask for, by clock domain.
  std::vector<Hertz> clocks;
  /// The longest time that a clock below the top may last; 0: as long as it likes.
  Seconds lease;
  /// Equation 2: the longest work over the shortest, of available PEs, at the top clock; 1 if there
  /// is none, infinite if a PE had nothing to do.
  double imbalance = 1;
  /// The same as it will be if loads stay what they are.
  double imbalance_after = 1;
  /// True if equation 2 exceeds the highest over the lowest clock.
  bool beyond_clocks = false;
  /// True if the balancer moves chares. All clocks are at the top until the effect of that is
  /// measured.
  bool handed_over = false;
  std::uint32_t moved = 0;
  /// Time of the interval at the top clocks with the present placement, and with the new placement
  /// and clocks, by the same loads: the longest PE, communication included where the balancer
  /// counts it.
  Seconds length_before;
  Seconds length_after;
};

/// EnergyLB (Padoin et al.) for Charm++: clocks that follow loads, and chares that move where that
/// does not do. One for all PEs. One thread.
class EnergyStrategy {
 public:
  /// Throws Error if a setting makes no sense.
  EnergyStrategy(balancing::ClockSteps steps, EnergySettings settings);

  /// At each balance point. With `balancer` kNone only chares on PEs that are not available move.
  /// Throws Error, and decides nothing, if an index is none, a time or clock is negative or not
  /// finite, a speed is not above 0, a sensitivity is outside of 0 to 1, or no PE is available.
  EnergyDecision balance(const ChareLoads& loads);

  [[nodiscard]] const balancing::ClockSteps& steps() const { return steps_; }

 private:
  struct Work;

  [[nodiscard]] balancing::WorkPlacement better_placement(const Work& work) const;
  void consider_moving(const Work& work, EnergyDecision& decision);
  void choose_clocks_of(const Work& work, EnergyDecision& decision);
  void compare_with_promise(const EnergyDecision& decision);
  void learn(const ChareLoads& loads);

  balancing::ClockSteps steps_;
  EnergySettings settings_;
  /// Clocks of each domain that would have done at the last balance points, newest first.
  std::vector<std::vector<Hertz>> wanted_;
  /// Sensitivity of each PE; empty once chares have moved, since then it has other work.
  std::vector<balancing::ClockSensitivity> learnt_;
  /// The longest PE before the last hand-over, and what was promised for after it; 0: none.
  Seconds moved_from_;
  Seconds promised_;
  /// The factor by which moving must promise more than the settings say, since it broke its
  /// promise.
  double caution_ = 1;
};

}  // namespace huddle::charm
