#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace huddle {

struct ChildResult {
  static constexpr int kUnknownStatus = 255;

  /// Exit status, or 128 + signal; meaningless if `timed_out`; kUnknownStatus if this process
  /// ignores SIGCHLD.
  int status = 0;
  bool timed_out = false;
  /// What the child wrote, each at most the limit; more is read and dropped.
  std::string output;
  std::string errors;
};

/// Runs `arguments` (first one: the program's path, not searched in PATH) in a process group of its
/// own, waits for its end or for `time_limit`, then kills what is left of the group. Input is
/// /dev/null. Throws
/// SystemError if the program can't be started. Blocks the calling thread; touches no signal
/// handler of the process.
ChildResult run_child(const std::vector<std::string>& arguments,
                      std::chrono::milliseconds time_limit, std::size_t output_limit = 1U << 20U);

}  // namespace huddle
