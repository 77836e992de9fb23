#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/formats/machine/machine.hpp"

namespace huddle::waitstates {

/// The power states that the cost of waiting is computed with. Per core, since a wait state is one
/// thread's.
struct PowerStates {
  std::string machine;
  std::string origin;  ///< where the figures come from, for people
  /// At least one. The first is the one that programs run in; its transition is 0.
  std::vector<PowerState> states;
};

/// The power states of a machine's cores: those in its document, or else ones derived from its
/// power figures and frequencies: a core has its share of what the whole node draws, busy and idle;
/// there is a state for each frequency up to the nominal one (the nominal is the first, the lowest
/// the last); and the cost of a transition is assumed. `origin` states all that. Throws Error if
/// the machine has neither, and what reading its topology throws.
PowerStates power_states_of(const Machine& machine);

/// The shares of what wait states cost that idle and busy waiting could save at most, 0 to 1: the
/// limits for an endless wait state.
struct PowerLimits {
  double idle = 0;
  double busy = 0;
};
/// Precondition: as for WaitCost.
PowerLimits limits_of(const PowerStates& power);

/// Sums over wait states. Energies are whole nanojoules, so that sums don't depend on their order;
/// beyond what 64 bits hold (292 years of 1 W) they stay at the largest.
struct WaitEnergy {
  /// t x A of the first state, or what was measured in that time.
  std::int64_t spent_nj = 0;
  std::int64_t saving_nj = 0;       ///< ESP, equation (1)
  std::int64_t busy_saving_nj = 0;  ///< ESP_BW, equation (2)
  /// How many wait states each power state wins, in the table's order: idle and busy waiting. Busy
  /// waiting that saves nothing is not counted.
  std::vector<std::uint64_t> winners;
  std::vector<std::uint64_t> busy_winners;

  void add(const WaitEnergy& other);
  friend bool operator==(const WaitEnergy&, const WaitEnergy&) = default;
};

/// What one wait state of a given length costs and could save (Knobloch et al., equations (1) and
/// (2), with the transition's energy as a cost). Of a wait state that takes t in the first state 1,
///   idle waiting saves  max over p of  t A1 - ((t - tTp) Ip + ETp)    (1)
///   busy waiting saves  max over p of  t A1 - ((t - tTp) Ap + ETp)    (2)
/// over all states p, the first included, whose transition takes no longer than t. Among equals the
/// first of the table wins. Safe from any thread once made; it is called for each wait state of a
/// trace.
class WaitCost {
 public:
  /// Throws Error without a state, for figures that are negative, infinite or not numbers, and for
  /// a transition of the first state.
  WaitCost(const PowerStates& power, double ticks_per_second);

  /// Adds a wait state of `ticks` > 0 to `sums`, whose winners have the table's size or are empty.
  void add_to(WaitEnergy& sums, std::uint64_t ticks) const { add_to(sums, ticks, assumed(ticks)); }
  /// The same where it took `spent_nj`, as was measured. The states are then known as shares of the
  /// first one only: what could be saved is the same share of what was measured.
  void add_to(WaitEnergy& sums, std::uint64_t ticks, double spent_nj) const;
  /// What `ticks` take in the first state, in nanojoules.
  [[nodiscard]] double assumed(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * lines_[0].active_nj_per_tick;
  }

 private:
  struct Line {
    double active_nj_per_tick, idle_nj_per_tick, transition_ticks, transition_nj;
  };
  std::vector<Line> lines_;
};

}  // namespace huddle::waitstates
