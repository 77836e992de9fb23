#pragma once

#include <cstddef>
#include <functional>

namespace huddle::evaluation {

/// Does `work` 0 to count - 1, each in a child process of its own (SimGrid allows one simulation a
/// process), at most `at_once` of them at a time; what work leaves behind is in files. `done` is
/// called in the parent with how many have ended. Throws Error if one fails, after its message is
/// on stderr, when the others under way have ended.
void in_children(std::size_t count, std::size_t at_once,
                 const std::function<void(std::size_t)>& work,
                 const std::function<void(std::size_t)>& done = {});

}  // namespace huddle::evaluation
