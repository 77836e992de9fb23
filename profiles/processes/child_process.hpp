#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::processes {

struct ChildResult {
  static constexpr int kUnknownStatus = 255;

  /// Exit status, or 128 + signal; meaningless if `timed_out`; kUnknownStatus if this process
  /// ignores SIGCHLD.
  int status = 0;
  bool timed_out = false;
  /// The child's standard output and standard error, each at most the limit; more is read and
  /// dropped.
  std::string output;
  std::string errors;
};

/// Runs `arguments` (the first one is the program's path and is not searched in PATH) in a process
/// group of its own, waits for its end or for `time_limit`, then kills what is left of the group.
/// The child's standard input is /dev/null, or holds `input`, which a pipe must take whole (64 KiB
/// as a rule): a child that does not read can't block this process, nor end it by SIGPIPE. A child
/// that hangs in the system even when it is killed, as one does on a file system that does not
/// answer, is left behind unreaped. `environment`: "NAME=VALUE" each; absent: this process's.
/// Throws SystemError if the program can't be started or the input is too long. Blocks the calling
/// thread; touches no signal handler of the process.
ChildResult run_child(const std::vector<std::string>& arguments,
                      std::chrono::milliseconds time_limit, std::string_view input = {},
                      std::size_t output_limit = 1U << 20U,
                      const std::optional<std::vector<std::string>>& environment = {});

}  // namespace huddle::processes
