#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::planning {

/// Limits of work in the background, beyond which the system ends it.
struct DetachedLimits {
  std::chrono::seconds time{600};
  /// Beyond what this process has now.
  Bytes memory{std::uint64_t{4} << 30U};
};

/// Does `work` in a child process and returns its text if it is done within `wait`; nothing if it
/// is not: then it goes on by itself, with lowered priority. The child is in a session of its own,
/// holds no descriptor of this process, and reads and writes /dev/null, so that a program which
/// waits for this process's end, for the end of its output, or for its process group neither waits
/// for the child nor ends it. Throws Error with what `work` threw within `wait` (a UsageError stays
/// one), or if the child was ended; SystemError if there can't be a child. This process must have
/// no other threads.
std::optional<std::string> run_detached(const std::function<std::string()>& work,
                                        std::chrono::milliseconds wait,
                                        const DetachedLimits& limits = {});

}  // namespace huddle::planning
