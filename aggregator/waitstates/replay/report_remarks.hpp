#pragma once

#include <string>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// What the analysis could not do as it should, and what the reader of the trace remarks: a
/// sentence each, for people. Empty for a sound trace.
std::vector<std::string> remarks_on(const WaitReport& report);

}  // namespace huddle
