#include "profiles/formats/policy/missing_quote.hpp"

#include <fmt/format.h>

#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1 && text.find('\n') != std::string_view::npos; --number)
    text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

// Where a text begins that does not end on its line, from 1; 0: none does. Of texts of several
// lines nothing is known.
std::size_t column_of_open_text(std::string_view line) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (begin == 0) {
      if (c == '#') return 0;
      if (c != '"' && c != '\'') continue;
      if (line.substr(i, 3) == std::string(3, c)) return 0;
      begin = i + 1;
    } else if (c == '\\' && line[begin - 1] == '"') {
      ++i;
    } else if (c == line[begin - 1]) {
      begin = 0;
    }
  }
  return begin;
}

}  // namespace

void refuse_missing_quote(std::string_view text, std::string_view file, std::size_t number) {
  const std::string_view line = line_of(text, number);
  const std::size_t column = column_of_open_text(line);
  if (column == 0) return;
  throw FormatError(
      file, fmt::format("line {}, column {}", number, column),
      fmt::format("a text with a missing quote: {}", shortened(line.substr(column - 1))),
      fmt::format("a {} at its end", line[column - 1]));
}

}  // namespace huddle
