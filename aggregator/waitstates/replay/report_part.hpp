#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/location_sums.hpp"

namespace huddle {

/// What one process of an analysis found out.
struct ReportPart {
  struct Location {
    std::uint32_t index = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t events = 0;
    std::vector<CallPathTree::Path> paths;
    std::vector<PathWaits> waits;  ///< with the location's own call paths
    std::vector<TimelineBin> timeline;
    friend bool operator==(const Location&, const Location&) = default;
  };
  std::vector<Location> locations;
  TraceAnomalies anomalies;
  std::vector<std::string> remarks;
  friend bool operator==(const ReportPart&, const ReportPart&) = default;
};

/// For another process of the same program.
std::string packed(const ReportPart& part);
/// Throws Error if it is no part.
ReportPart unpacked(const std::string& bytes);

}  // namespace huddle
