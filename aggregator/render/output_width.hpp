#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::render {

/// The narrowest and the widest output that can be asked for, in columns.
inline constexpr std::size_t kLeastWidth = 40;
inline constexpr std::size_t kMostWidth = 10'000;

/// Tables that follow are no wider than `columns`, whatever the terminal or COLUMNS says; 0 takes
/// that back. Not thread-safe.
void set_output_width(std::size_t columns);

/// The columns that a table on the standard output may have: what set_output_width() was given,
/// else the environment's COLUMNS, else those of the terminal, and at least kLeastWidth. None where
/// nothing says it, as in a file or a pipe. Not thread-safe.
std::optional<std::size_t> output_width();

/// The columns of a terminal that `text` in UTF-8 takes: two for the wide characters of East Asia.
std::size_t width_of(std::string_view text);

/// `text` in lines of at most `width` columns: broken at blanks, else behind one of /,:;._-+&@,
/// else anywhere. Lines after the first are indented as the first is, and by `hanging` columns more
/// where there is room for it. At least one line. Precondition: width > 0.
std::vector<std::string> lines_of(std::string_view text, std::size_t width,
                                  std::size_t hanging = 2);

}  // namespace huddle::render
