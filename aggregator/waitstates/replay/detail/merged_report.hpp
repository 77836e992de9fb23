#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/detail/location_sums.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// What a replay found of one location.
struct LocationFindings {
  std::uint32_t index = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t events = 0;
  std::vector<CallPathTree::Path> paths;
  std::vector<PathWaits> waits;  ///< with the location's own call paths
  std::vector<TimelineBin> timeline;
};

/// What a replay found.
struct ReplayFindings {
  std::vector<LocationFindings> locations;  ///< in any order
  TraceAnomalies anomalies;
  std::vector<std::string> remarks;
};

/// One report of all locations: call paths of the same names become one.
WaitReport merged_report(ReplayFindings found, const traces::TraceDefinitions& definitions);

}  // namespace huddle::waitstates
