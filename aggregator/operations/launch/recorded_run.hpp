#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Environment variables, by name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// What puts the recorder into the MPI programs that a command starts, and tells it where the
/// profile goes. `recorder` is the library; empty: the installed one. Throws Error if it can't be
/// read.
Variables recorder_variables(const std::string& recorder, const std::filesystem::path& profile);

/// A command that runs beside this process.
struct RunRequest {
  /// 1 or more words; the first is looked up in PATH.
  std::vector<std::string> command;
  /// Added to this process's environment.
  Variables variables;
  /// Takes what it prints, on both its outputs; overwritten.
  std::filesystem::path output;
  /// After this it is ended.
  Seconds patience;
};

/// How a run ended: its status, or 128 + the signal that ended it.
struct RunEnd {
  int status = 0;
  bool lost_patience = false;
  bool interrupted = false;
};

/// Runs a command to its end. Ctrl-C, noted by `interrupted`, ends it early, as does running out of
/// patience: SIGTERM to its process group, and SIGKILL 5 s later. Throws SystemError if it can't be
/// started.
RunEnd run_to_end(const RunRequest& request, const class Interruption& interrupted);

}  // namespace huddle
