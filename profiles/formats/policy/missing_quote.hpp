#pragma once

#include <cstddef>
#include <string_view>

namespace huddle {

/// Throws FormatError, which calls the text `file`, if on its line of that number, from 1, a string
/// of TOML begins and does not end: toml++ complains of what comes behind it instead. Nothing is
/// known of strings of several lines.
void refuse_missing_quote(std::string_view text, std::string_view file, std::size_t number);

}  // namespace huddle
