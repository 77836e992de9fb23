#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace huddle::processes {

/// Does `work` in a process of its own, a copy of this one, and returns what it returned; nothing
/// if that takes longer than `limit`, from when the process has begun. Then the process is left to
/// itself, not killed and not waited for: a file system that hangs would hold up both. It has no
/// standard streams and no other open files, so that nobody waits for it by reading; when it is
/// done, it is gone. For work on a few files: the copy has this thread only, and `work` must not
/// need others. Throws Error with the text of what `work` threw, or that the process died, and
/// SystemError if there can't be one.
std::optional<std::string> in_separate_process(const std::function<std::string()>& work,
                                               std::chrono::milliseconds limit);

}  // namespace huddle::processes
