#pragma once

#include <filesystem>

#include "profiles/recorder/call_path_functions.hpp"
#include "profiles/recorder/recorded_trace.hpp"
#include "profiles/recorder/trace_piece.hpp"

namespace huddle::recorder {

/// Writes a rank's recorded events into the trace that `folder` will be, by rank 0's clock and
/// under the numbers of the whole trace. Holds some thousand events in memory, whatever their
/// number. Throws SystemError, Error.
PieceResult write_events(const RecordedTrace& trace, const CallPathFunctions& functions,
                         const PieceNumbers& numbers, const std::filesystem::path& folder);

}  // namespace huddle::recorder
