#pragma once

#include <string>

#include "aggregator/operations/accounting/job_report.hpp"

namespace huddle {

/// Sets ReportedRun::balancing of the wanted runs whose clocks followed their loads, from the
/// profiles that they left. A profile that is gone or broken is passed over: then it is not known.
void add_balancing(JobReport& report);

/// What became of it, for people: "clocks followed its loads: ...".
std::string text_of(const RankBalancing& balancing);

}  // namespace huddle
