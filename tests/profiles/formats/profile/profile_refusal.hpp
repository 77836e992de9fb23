#pragma once

#include <string>
#include <string_view>

#include "profiles/formats/profile/profile.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {

/// Why the profile is refused, whose file is called "p"; empty if it is read.
inline std::string refusal(std::string_view bytes) {
  return error_of<FormatError>([&] { parse_profile(bytes, "p"); });
}

}  // namespace huddle
