#pragma once

#include <cstdint>
#include <string>

#include "aggregator/balance/balance_simulation.hpp"

namespace huddle::balancing {

/// Who sets clocks in a simulation by SimGrid.
enum class Governor : std::uint8_t {
  kNone,    ///< SimGrid's "performance": the top clock
  kAdagio,  ///< SimGrid's "adagio" (Rountree et al., ICS 2009): slack of each task, as a rank sees
            ///< it itself
  kHuddle,  ///< a RankBalancer in each rank
};

struct GovernedRun {
  double time_s = 0;
  double energy_j = 0;
};

/// Runs an MPI program with SimGrid's SMPI, whose ranks compute what the table says and meet in a
/// barrier, and counts with its host_energy plugin. Once in a process: SimGrid has one engine.
GovernedRun simulate_with_simgrid(const balance::LoadTable& table,
                                  const balance::BalancedMachine& machine, Governor governor);

}  // namespace huddle::balancing
