#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace huddle {

/// What a core can be set to. The first state of a table is the one that programs run in.
struct PowerState {
  std::string name;         ///< "1900 MHz"
  double active_w = 0;      ///< A: under load, a core
  double idle_w = 0;        ///< I: with nothing to do
  double transition_s = 0;  ///< tT: into it from the first state and back
  double transition_j = 0;  ///< ET: of both
};

struct PowerStates {
  std::string machine;
  std::string origin;  ///< where the figures come from, for people
  std::vector<PowerState> states;
};

/// Sums over wait states. Energies are whole nanojoules, so that sums don't depend on their order.
struct WaitEnergy {
  std::int64_t spent_nj = 0;        ///< t x A of the first state
  std::int64_t saving_nj = 0;       ///< ESP, equation (1)
  std::int64_t busy_saving_nj = 0;  ///< ESP_BW, equation (2)
  /// How many wait states each power state wins, in the table's order: idle and busy waiting. For
  /// busy waiting those are not counted that save nothing.
  std::vector<std::uint64_t> winners;
  std::vector<std::uint64_t> busy_winners;

  void add(const WaitEnergy& other);
  friend bool operator==(const WaitEnergy&, const WaitEnergy&) = default;
};

/// What one wait state of a given length costs and could save (Knobloch et al., equations (1) and
/// (2), with the transition's energy as a cost). Precomputes what it can: it is asked for each
/// wait state of a trace. Safe from any thread once made.
class WaitCost {
 public:
  /// `states`: at least one. Throws Error for figures that are negative or not numbers.
  WaitCost(const PowerStates& states, double ticks_per_second);

  /// Adds a wait state of `ticks` > 0 to `sums`, whose winners have the table's size or are empty.
  void add_to(WaitEnergy& sums, std::uint64_t ticks) const;

 private:
  struct Line {
    double active_j_per_tick, idle_j_per_tick, transition_ticks, transition_j;
  };
  std::vector<Line> lines_;
};

}  // namespace huddle
