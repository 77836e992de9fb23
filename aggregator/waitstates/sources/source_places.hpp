#pragma once

#include <filesystem>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// Adds to the report's call paths where their functions begin in the source: as the trace says, or
/// else as the debug information of the program does. That is the file at `program`, or the one
/// that the trace names if `program` is empty; the latter only if it still has the trace's build
/// id. Functions that it does not have are looked for in the libraries that it brought along
/// (libraries_of_program()), as far as these are no newer than the trace. What none of them knows
/// has no place. Throws Error if `program` can't be read, or has another
/// build id than the trace.
void add_source_places(WaitReport& report, const TraceDefinitions& definitions,
                       const std::filesystem::path& program);

}  // namespace huddle
