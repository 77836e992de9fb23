#pragma once

#include <functional>
#include <string>
#include <vector>

namespace huddle {

/// How a child process ended.
struct ChildEnd {
  /// Its exit status, or 128 + the signal that ended it.
  int status = 0;
  /// Whether we were asked to stop meanwhile (SIGINT, SIGTERM). The child was asked, too.
  bool interrupted = false;
};

/// Runs `command` (a program, looked up in PATH, and its arguments) to its end and calls `look`
/// about twice a second. What it writes to its standard output goes to our standard error; it reads
/// nothing. Ctrl-C reaches it from the terminal, SIGTERM is handed on. Throws SystemError. For one
/// thread at a time.
ChildEnd run_watched(const std::vector<std::string>& command, const std::function<void()>& look);

/// What `command` writes to its standard output and standard error, at most `limit` bytes; empty if
/// it can't be started.
std::string output_of(const std::vector<std::string>& command, std::size_t limit = 65536);

}  // namespace huddle
