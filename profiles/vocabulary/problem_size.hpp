#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace huddle {

/// The forms of a size that are expected, for error messages.
inline constexpr std::string_view kProblemSizes =
    "a number above 0 such as 4096 or 1e6, or a product such as 64x64x32";

/// A problem size, in whatever the program counts: "4096", "1e6", or factors parted by "x" or "*",
/// "64x64x32" being 131072. Nothing if it is anything else, or its value is not above 0 and finite.
std::optional<double> parse_problem_size(std::string_view text);

/// The shortest text that is read as that size.
std::string problem_size_text(double size);

}  // namespace huddle
