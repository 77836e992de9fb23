#pragma once

// Programs that run beside this process: to their end, with patience, under the recorder.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// Something that was looked for, and that the user could name instead: a command adds the option
/// for it to the message.
class NotFound : public Error {
 public:
  enum class What : std::uint8_t { kHosts, kRecorder, kProgram };
  NotFound(What what, const std::string& message) : Error(message), what_(what) {}
  [[nodiscard]] What which() const { return what_; }

 private:
  What what_;
};

/// Environment variables, by name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// The variables that put the recorder into the MPI programs that a command starts, and name the
/// file of the profile. `recorder` is the library; empty: the installed one. Throws NotFound if it
/// can't be read.
Variables recorder_variables(const std::string& recorder, const std::filesystem::path& profile);

/// `given`, or without it the program `name` that is installed beside `recorder` (empty: beside the
/// installed one). Throws NotFound if it can't be run; `purpose` says which program it is.
std::string program_beside_recorder(const std::string& given, const std::string& recorder,
                                    const std::string& name, const std::string& purpose);

struct RunRequest {
  /// 1 or more words; the first is looked up in PATH.
  std::vector<std::string> command;
  /// Added to this process's environment.
  Variables variables = {};
  /// Receives what it prints, on both its outputs; overwritten. Empty: our standard error does.
  std::filesystem::path output = {};
  /// After this it is ended; 0: never.
  Seconds patience{0};
  /// Called about twice a second while it runs.
  std::function<void()> look = {};
};

/// The end of a run: its status, or 128 + the signal that ended it.
struct RunEnd {
  int status = 0;
  bool lost_patience = false;
  bool interrupted = false;
};

/// Runs a command, which reads nothing, to its end. SIGINT and SIGTERM to this process end it
/// early, as does running out of patience: SIGTERM to its process group, and SIGKILL 5 s later.
/// Throws SystemError if it can't be started. For one thread at a time.
RunEnd run_to_end(const RunRequest& request);

/// Returns the text that `command` (looked up in PATH) writes to its standard output, and behind it
/// what it writes to its standard error; empty if it can't be started, or takes longer than
/// `limit`.
std::string output_of(const std::vector<std::string>& command, Seconds limit = Seconds{60});

}  // namespace huddle::operations
