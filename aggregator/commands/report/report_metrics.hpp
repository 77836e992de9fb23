#pragma once

#include <cstddef>
#include <string>

#include "aggregator/operations/accounting/job_report.hpp"

namespace huddle {

/// What of the store a report does not count.
struct UnreadRecords {
  std::size_t users = 0;
  std::size_t records = 0;
};

/// The sums as metrics by cluster, in the text that OpenMetrics and Prometheus' own format share:
/// gauges without timestamps. What is counted are the records in the store, which go after some
/// time, and what was saved may be negative, so none of them is a counter. Users and labels are not
/// named: anybody can read metrics. Clusters beyond 16, those with the fewest runs, are one,
/// "other": users can write any name into their records.
std::string report_metrics(const JobReport& report, const UnreadRecords& unread);

}  // namespace huddle
