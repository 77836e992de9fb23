#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace huddle::processes {

/// Does `work` as in_separate_process() does and, if this process is root, with the rights of the
/// user nobody: so it shows what users can do, and what a file names is not run with root's rights.
/// Throws what in_separate_process() throws, and Error if the rights can't be dropped; then nothing
/// was done.
std::optional<std::string> without_root(const std::function<std::string()>& work,
                                        std::chrono::milliseconds limit);

}  // namespace huddle::processes
