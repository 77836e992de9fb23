#include "aggregator/forecast/table/detail/cells.hpp"

#include <charconv>
#include <string>

#include "profiles/import/column_words.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::string_view kMissing =
    "na n/a null none nil - ? nan -nan inf -inf infinity -infinity";
// Longer ones are no number that anybody wrote.
constexpr std::size_t kLongest = 400;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Small enough to be looked up: words are short, and most cells are numbers.
bool is_word_of(std::string_view words, std::string_view cell) {
  return cell.size() <= 12 && imports::has_word(words, in_lower_case(cell));
}

bool may_begin_suffix(char c) {
  return (in_lower_case(c) >= 'a' && in_lower_case(c) <= 'z') || c == ' ' || (c & '\x80') != 0;
}

// True for a number that a double can't hold since it is too small, not too large.
bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  number.remove_prefix(number.starts_with('-') ? 1 : 0);
  return number.starts_with('0') || number.starts_with('.');
}

}  // namespace

CellNumber cell_number(std::string_view cell) {
  if (cell.empty() || is_word_of(kMissing, cell)) return {CellKind::missing, 0, {}};
  if (cell.starts_with('+') && cell.size() > 1 && cell[1] != '-') cell.remove_prefix(1);
  // from_chars would take the words "infinite" and "nanosecond" for numbers.
  const std::size_t first = cell.starts_with('-') ? 1 : 0;
  if (cell.size() > kLongest || cell.size() == first ||
      (!is_digit(cell[first]) && cell[first] != '.'))
    return {};
  CellNumber number;
  const auto [stop, failure] =
      std::from_chars(cell.data(), cell.data() + cell.size(), number.value);
  if (failure == std::errc::invalid_argument) return {};
  const auto length = static_cast<std::size_t>(stop - cell.data());
  number.kind = CellKind::number;
  if (failure == std::errc::result_out_of_range) {
    number.value = 0;
    if (!is_tiny(cell.substr(0, length))) number.kind = CellKind::missing;
  }
  if (length == cell.size()) return number;
  if (!may_begin_suffix(cell[length])) return {};
  number.suffix = trimmed(cell.substr(length));
  return number;
}

Dimension dimension_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::frequency:
      return Dimension::frequency;
    case ColumnRole::time:
      return Dimension::time;
    case ColumnRole::energy:
      return Dimension::energy;
    default:
      return Dimension::none;
  }
}

}  // namespace huddle::forecast
