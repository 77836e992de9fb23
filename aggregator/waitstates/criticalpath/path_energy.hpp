#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/energy/measured_power.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// What a rank's first thread took in a call path, without the paths below it, as measured.
struct PathEnergy {
  std::uint32_t call_path = 0;  ///< of the report, or CallPath::kRoot
  std::uint32_t rank = 0;
  std::uint64_t known_ticks = 0;  ///< of its time in the call path: when the node's power is known
  double joules = 0;              ///< in that time: the thread's equal share of its node's energy
};

/// Of the ranks on nodes whose power was measured, by call path, rank. What a rank computed in
/// several call paths between two calls of MPI counts in the order in which it came to each first:
/// their sum is as measured, a part of it as exact as power is steady between the two calls. Time
/// grows with the log, memory with call paths times ranks.
std::vector<PathEnergy> path_energy_of(const ActivityLog& log, const WaitReport& report,
                                       const TraceDefinitions& definitions,
                                       const MeasuredPower& power);

}  // namespace huddle
