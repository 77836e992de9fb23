#pragma once

#include <map>
#include <string>
#include <tuple>

#include "aggregator/waitstates/replay/analysis.hpp"
#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {

/// A core that takes 10 W, or 4 W when it has nothing to do, and one that takes half of it.
PowerStates two_states();

/// Without a timeline.
WaitReport report_of(traces::Trace& trace);

/// Pattern's name, location, path as "main/MPI_Recv": ticks.
using FoundWaits = std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint64_t>;
FoundWaits waits_in(const WaitReport& report);

/// "main/MPI_Recv".
std::string path_name(const WaitReport& report, std::uint32_t call_path);

/// The difference between two reports, in a line; empty if there is none.
std::string difference(const WaitReport& one, const WaitReport& other);

}  // namespace huddle::waitstates
