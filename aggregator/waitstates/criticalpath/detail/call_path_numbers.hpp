#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// Maps the numbers that ranks give to their call paths to those of a report, by names.
class CallPathNumbers {
 public:
  /// Throws Error for a number that is none.
  CallPathNumbers(const std::vector<ActivityBuffer::PathRecord>& paths, std::uint32_t ranks,
                  const std::vector<CallPath>& report, const traces::TraceDefinitions& definitions);

  /// CallPath::kRoot for what the rank or the report does not know.
  [[nodiscard]] std::uint32_t in_report(std::uint32_t rank, std::uint32_t path) const {
    const std::vector<std::uint32_t>& of_rank = numbers_[rank];
    return path < of_rank.size() ? of_rank[path] : CallPath::kRoot;
  }

 private:
  std::vector<std::vector<std::uint32_t>> numbers_;
};

}  // namespace huddle::waitstates
