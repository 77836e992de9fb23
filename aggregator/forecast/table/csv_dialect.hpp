#pragma once

// Internal to the reader of measured rows.

#include <span>
#include <string>
#include <string_view>

namespace huddle {

/// What parts fields, by a header and the first rows: the one of tab ; , | and blank that makes as
/// many fields as of the header of most rows; where none does, the first of them in the header.
char find_separator(std::string_view header, std::span<const std::string> rows);

/// What parts a number's whole and fraction in these rows: ',' if there is a cell such as "1,5" and
/// none such as "1.5", else '.'.
char find_decimal_mark(std::span<const std::string> rows, char separator);

}  // namespace huddle
