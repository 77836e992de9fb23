#pragma once

#include <chrono>
#include <string>

#include "profiles/recorder/trace/raw_trace_folder.hpp"

namespace huddle::recorder {

/// Whether a run's files may be taken for its trace, or why not yet.
struct RunEnd {
  /// A file of a run that goes on is written to every few seconds; runs of thousands of ranks take
  /// longer. Clocks of file servers may be off by some seconds.
  static constexpr std::chrono::seconds kQuiet{60};

  /// `command_ended`: what started the run is known to have ended, so that only a process that
  /// still holds its locks counts. Else, where ranks were on other nodes than `this_node` and their
  /// locks may not be seen, nothing may have been written for kQuiet either. Returns a sentence,
  /// empty if the run has ended. Throws SystemError.
  static std::string why_not_yet(
      const RawTraceFolder& raw, const std::string& this_node, bool command_ended,
      std::filesystem::file_time_type now = std::filesystem::file_time_type::clock::now());
};

/// Makes the OTF2 archive at raw.trace() of what a run left that was cut short, and removes what it
/// was made of, unless the environment says HUDDLE_TRACE_RAW=keep. The run must have ended (see
/// RunEnd). What is missing is in the trace's remarks: ranks of which nothing is left, events that
/// can't be used, clocks that were compared at the begin only. The archive appears whole or not at
/// all. Throws Error if there is nothing to make a trace of, if the files don't fit together, or if
/// there is something at raw.trace(); SystemError.
void salvage_trace(const RawTraceFolder& raw);

}  // namespace huddle::recorder
