#pragma once

// Tables of huddle waitstates that have files of their own.

#include <string>

#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle {

/// The tree of call paths that somebody waits in, those with most waiting first.
std::string waits_by_call_path(const WaitAnswer& answer);
/// A line for each rank; for each thread where there are several.
std::string waits_by_rank(const WaitAnswer& answer);

}  // namespace huddle
