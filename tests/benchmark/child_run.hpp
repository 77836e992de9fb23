#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace huddle {

/// The result of a child process, and what it took.
struct ChildRun {
  std::vector<std::uint32_t> result;
  double wall_seconds = 0;
  double processor_seconds = 0;  // of all its threads
  /// The largest resident size, with what the parent had in memory already.
  double peak_mib = 0;
  /// Why there is no result; empty if there is one.
  std::string failure;
  /// True if that is the time limit.
  bool timed_out = false;
};

/// Runs `work`, which returns `size` numbers, in a child process: so each run begins with the same
/// memory, its peak is its own, and it can be ended after `limit_seconds` (0: never). What `work`
/// throws ends up in `failure`. Call it while the process has a single thread. Throws SystemError
/// if there can be no child.
ChildRun run_in_child(const std::function<std::vector<std::uint32_t>()>& work, std::size_t size,
                      unsigned limit_seconds);

}  // namespace huddle
