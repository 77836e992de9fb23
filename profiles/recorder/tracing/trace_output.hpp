#pragma once

#include <filesystem>
#include <functional>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// Makes an OTF2 archive in `folder` of what all ranks recorded; collective. `save` is called once
/// on each rank and gives its own part. Each rank writes its own events, all at the same time; rank
/// 0 numbers what they define, and writes the definitions. The archive appears whole or not at all.
/// Recorded files are removed in any case, unless the environment says HUDDLE_TRACE_RAW=keep.
/// `folder`: on all ranks, and on a file system that all of them share; only rank 0's name of it is
/// used. Throws Error on rank 0 if there is no trace, and why.
void write_trace(const std::function<RecordedTrace()>& save, const Channel& channel,
                 const std::filesystem::path& folder);

/// Removes what this rank recorded, which `save` returns, where it is not to be a trace. Not
/// collective.
void remove_trace(const std::function<RecordedTrace()>& save);

}  // namespace huddle::recorder
