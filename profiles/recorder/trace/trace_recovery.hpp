#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/recorder/trace/raw_trace_folder.hpp"

namespace huddle::recorder {

/// The end of a run: only after it may a trace be made of the run's files.
struct RunEnd {
  /// A file of a run that goes on is written to every few seconds; runs of thousands of ranks take
  /// longer. Clocks of file servers may be off by some seconds.
  static constexpr std::chrono::seconds kQuiet{60};

  /// Returns why not yet, a sentence; empty if the run has ended. `command_ended`: the command that
  /// started the run has ended, so that only a process that still holds its locks counts.
  /// Otherwise, if ranks were on other nodes than `this_node`, whose locks may be invisible here,
  /// nothing may have been written for kQuiet either. Throws SystemError.
  static std::string why_not_yet(
      const RawTraceFolder& raw, const std::string& this_node, bool command_ended,
      std::filesystem::file_time_type now = std::filesystem::file_time_type::clock::now());
};

/// Makes the OTF2 archive at raw.trace() of what a run left that was cut short, and removes those
/// files, unless the environment says HUDDLE_TRACE_RAW=keep. The run must have ended (see RunEnd).
/// The trace's remarks say what is missing: ranks of which nothing is left, events that can't be
/// used, clocks that were compared only once. The archive appears whole or not at all. Throws
/// SystemError, and Error if there is nothing to make a trace of, if the files don't fit together,
/// or if there is something at raw.trace().
void recover_trace(const RawTraceFolder& raw);

/// A trace, and the folder from which this process has recovered it just now; empty if it was
/// there.
struct FoundTrace {
  std::filesystem::path trace;
  std::filesystem::path recovered_from;
};

/// The trace to open for what a user named. Usually that is `named` itself. But a run that was cut
/// short leaves "<trace>.raw-<run>" and no trace: if the user names that folder, or the trace that
/// would be beside it, the trace is recovered now. Of several processes that ask for the same one,
/// one recovers it and the others wait. Throws SystemError, and Error if the run may still go on,
/// if several runs left such folders, or if no trace can be made.
FoundTrace find_trace(const std::filesystem::path& named);

/// Recovers traces of runs that a command starts, of those that are cut short. One thread's.
class TracesOfCommand {
 public:
  /// Before the command starts; its runs write their traces into `folder`, which need not exist.
  explicit TracesOfCommand(const std::filesystem::path& folder);

  /// When the command has ended: if there is no `trace`, a folder's name in that folder, recovers
  /// it from what the run left, if that is anything. Waits some seconds for processes of the run
  /// that are about to end. Throws as find_trace() does.
  [[nodiscard]] FoundTrace recover(const std::filesystem::path& trace) const;

 private:
  std::vector<std::filesystem::path> before_;  // left by other runs
};

}  // namespace huddle::recorder
