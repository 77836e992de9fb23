#pragma once

// POP's efficiencies of a traced run. What they need a trace for is the run on an ideal network,
// whose messages and collectives take no time, by a replay as Dimemas does it (R. M. Badia,
// J. Labarta, J. Giménez, F. Escalé, DIMEMAS: Predicting MPI Applications Behavior in Grid
// Environments, 2003; the metrics: see aggregator/efficiency/run_efficiency.hpp).

#include <cstdint>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// Ticks of the ranks' first threads, without MPI_Init and MPI_Finalize. On the ideal network a
/// call of MPI ends when all that it waits for has begun.
struct TraceEfficiency {
  /// The longest time of a rank, as measured and on the ideal network.
  std::uint64_t run_time = 0;
  std::uint64_t ideal_run_time = 0;
  /// The longest computation of a rank, and the mean over ranks.
  std::uint64_t longest_computation = 0;
  double mean_computation = 0;
  /// Dependencies that were ignored, since ranks waited for each other in a circle.
  std::uint64_t circles = 0;

  /// Shares of 0 to 1; 1 where there is nothing to share. Load balance x serialisation x transfer
  /// is the parallel efficiency, and serialisation x transfer that of communication.
  [[nodiscard]] double load_balance() const {
    return share(mean_computation, static_cast<double>(longest_computation));
  }
  /// The longest computation over the run time on the ideal network: lost is what ranks wait for
  /// each other because one needs what another one has yet to compute.
  [[nodiscard]] double serialisation() const {
    return share(static_cast<double>(longest_computation), static_cast<double>(ideal_run_time));
  }
  /// The run time on the ideal network over the measured one.
  [[nodiscard]] double transfer() const {
    return share(static_cast<double>(ideal_run_time), static_cast<double>(run_time));
  }
  [[nodiscard]] double communication() const { return serialisation() * transfer(); }
  [[nodiscard]] double parallel() const { return load_balance() * communication(); }

 private:
  [[nodiscard]] static double share(double part, double whole) {
    return whole > 0 ? part / whole : 1;
  }
};

/// Replays the log twice. Throws SystemError.
TraceEfficiency trace_efficiency_of(const ActivityLog& log);

}  // namespace huddle::waitstates
