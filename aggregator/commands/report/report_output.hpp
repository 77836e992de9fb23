#pragma once

#include <string>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"

namespace huddle {

/// Whose runs a report is of.
enum class Whose : bool { kOneUser, kAllUsers };

/// A step as Slurm names it, "17.0" or "17_3.0", or "17.mpirun".
std::string job_name(const OutcomeRun& run);
/// For people: a table of the wanted runs, one a line, oldest first, and below it what its marks
/// mean. Each line names the user if they are of several.
std::string runs_table(const JobReport& report, Whose whose);
/// For people: sums by label, or by user and label, and in all, and in words what they count.
std::string sums_table(const JobReport& report, Whose whose);
/// Runs, sums, those of each user if they are of several, and `notes`.
std::string report_json(const JobReport& report, const std::vector<std::string>& notes,
                        Whose whose);

}  // namespace huddle
