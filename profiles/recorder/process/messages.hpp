#pragma once

#include <string_view>

namespace huddle::recorder {

/// Writes "huddle: <text>" as one line to standard error, in one write. Failures are ignored: there
/// is nobody left to tell.
void say(std::string_view text) noexcept;

}  // namespace huddle::recorder
