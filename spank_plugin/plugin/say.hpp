#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace huddle {

/// One line to the user: on the standard error of sbatch, salloc and srun, or of the step.
void say(const std::string& line);

template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace huddle
