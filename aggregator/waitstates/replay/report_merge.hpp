#pragma once

#include <string>
#include <vector>

#include "aggregator/waitstates/replay/report_part.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// One report of all parts: call paths of the same names become one. Does not depend on how the
/// locations are shared among the parts.
WaitReport merged(std::vector<ReportPart> parts, const TraceDefinitions& definitions);

}  // namespace huddle
