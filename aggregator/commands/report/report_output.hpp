#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"

namespace huddle::cli {

struct ReportContext;

/// Whose runs a report is of.
enum class Whose : bool { kOneUser, kAllUsers };

/// Sets ReportedRun::balancing of the wanted runs whose clocks followed their loads, from the
/// profiles that they left. A profile that is gone or broken is passed over: then it is not known.
void add_balancing(operations::JobReport& report);

/// A step as Slurm names it, "17.0" or "17_3.0", or "17.mpirun".
std::string job_name(const OutcomeRun& run);
/// For people: a table of the wanted runs, one a line, oldest first, and below it what its marks
/// mean. Each line names the user if they are of several.
std::string runs_table(const operations::JobReport& report, Whose whose);
/// For people: what Slurm charged for runs that followed a plan, and for those that they are
/// compared with; a sentence. Of some whose charges are known.
std::string charges_text(const operations::JobSums& sums);
/// For people: sums by label, or by user and label, and in all, and in words what they count.
std::string sums_table(const operations::JobReport& report, Whose whose);
/// Runs, sums, those of each user if they are of several, `summary` and `notes`.
std::string report_json(const operations::JobReport& report, const ReportContext& context,
                        const std::vector<std::string>& notes, Whose whose);

/// Users and records of the store that a report does not count.
struct UnreadRecords {
  std::size_t users = 0;
  std::size_t records = 0;
};

/// The sums as metrics by cluster, in the text that OpenMetrics and Prometheus' own format share:
/// gauges without timestamps. What is counted are the records in the store, which go after some
/// time, and what was saved may be negative, so none of them is a counter. Users and labels are not
/// named: anybody can read metrics. Clusters beyond 16, those with the fewest runs, are one,
/// "other": users can write any name into their records.
std::string report_metrics(const operations::JobReport& report, const UnreadRecords& unread);

}  // namespace huddle::cli
