#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/detail/location_sums.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// What one process of an analysis found.
struct ReportPart {
  struct Location {
    std::uint32_t index = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t events = 0;
    std::vector<CallPathTree::Path> paths;
    std::vector<PathWaits> waits;             ///< with the location's own call paths
    std::vector<PathCompletion> completions;  ///< the same
    std::vector<TimelineBin> timeline;
    friend bool operator==(const Location&, const Location&) = default;
  };
  std::vector<Location> locations;
  TraceAnomalies anomalies;
  std::vector<std::string> remarks;
  friend bool operator==(const ReportPart&, const ReportPart&) = default;
};

/// As bytes, for another process of the same program.
std::string packed(const ReportPart& part);
/// Throws Error if it is no part.
ReportPart unpacked(const std::string& bytes);

/// One report of all parts: call paths of the same names become one. Does not depend on how the
/// locations are shared among the parts.
WaitReport merged(std::vector<ReportPart> parts, const TraceDefinitions& definitions);

}  // namespace huddle
