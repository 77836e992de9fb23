#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace huddle {

/// "1 rank", "2 ranks", "0 ranks": a count with its noun, which gets an s unless it is one.
std::string pluralize(std::uint64_t count, std::string_view one);

/// The same for plurals that are not made by an s: pluralize(1, "process has", "processes have").
std::string pluralize(std::uint64_t count, std::string_view one, std::string_view several);

}  // namespace huddle
