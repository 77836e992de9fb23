#pragma once

#include <cstdint>
#include <filesystem>

#include "profiles/recorder/trace/call_path_functions.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"
#include "profiles/recorder/trace/trace_piece.hpp"

namespace huddle::recorder {

/// What becomes of events that are damaged, or name what nobody told.
enum class Unusable : std::uint8_t {
  kRefused,  ///< there is no trace
  kLeftOut,  ///< with all behind them of the thread; a remark says so
};

/// Writes a rank's recorded events into the trace that `folder` will be, by rank 0's clock and
/// under the numbers of the whole trace. Holds some thousand events in memory, whatever their
/// number. Throws SystemError, Error.
PieceResult write_events(const RecordedTrace& trace, const CallPathFunctions& functions,
                         const PieceNumbers& numbers, const std::filesystem::path& folder,
                         Unusable unusable = Unusable::kRefused);

}  // namespace huddle::recorder
