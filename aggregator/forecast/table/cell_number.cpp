#include "aggregator/forecast/table/cell_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "aggregator/forecast/table/column_names.hpp"

namespace huddle {
namespace {

constexpr auto kMissing = std::to_array<std::string_view>(
    {"", "na", "n/a", "#n/a", "<na>", "null", "none", "nil", "-", "--", "?", ".", "missing"});
constexpr auto kNotFinite = std::to_array<std::string_view>(
    {"nan", "-nan", "nanq", "inf", "-inf", "infinity", "-infinity", "1.#inf", "-1.#inf", "1.#qnan",
     "-1.#ind", "1.#ind", "#div/0!", "#num!", "#value!", "nan(ind)", "-nan(ind)", "nan(snan)"});
// Longer ones are no number that anybody wrote.
constexpr std::size_t kLongest = 400;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(std::string_view cell, const auto& words) {
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return equal_letters(word, cell); });
}

bool may_begin_suffix(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == ' ' || c == '\t' ||
         (c & '\x80') != 0;
}

// Of a number that a double can't hold: whether it is too small, not too large.
bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  number.remove_prefix(number.starts_with('-') ? 1 : 0);
  return number.starts_with('0') || number.starts_with('.');
}

// The number at the front of a cell that has '.' as decimal mark.
CellNumber number_in_front(std::string_view cell) {
  CellNumber number;
  const char* end = cell.data() + cell.size();
  const auto [stop, failure] = std::from_chars(cell.data(), end, number.value);
  if (failure == std::errc::invalid_argument) return {};
  const auto length = static_cast<std::size_t>(stop - cell.data());
  number.kind = CellKind::number;
  number.suffix = cell.substr(length);
  if (failure == std::errc::result_out_of_range) {
    number.value = 0;
    if (!is_tiny(cell.substr(0, length))) number.kind = CellKind::not_finite;
  }
  return number;
}

// "1.5D+03" as C would write it; empty if it isn't such a number.
std::string with_exponent_e(std::string_view cell, std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'd' && suffix[0] != 'D')) return {};
  const std::string_view power = suffix.substr(suffix[1] == '+' || suffix[1] == '-' ? 2 : 1);
  if (power.empty() || !std::ranges::all_of(power, is_digit)) return {};
  std::string text(cell);
  text[cell.size() - suffix.size()] = 'e';
  return text;
}

CellNumber read_number(std::string_view cell) {
  CellNumber number = number_in_front(cell);
  if (number.kind == CellKind::text || number.suffix.empty()) return number;
  const std::string fortran = with_exponent_e(cell, number.suffix);
  if (!fortran.empty()) {
    number = number_in_front(fortran);
    number.suffix = {};
    return number;
  }
  if (!may_begin_suffix(number.suffix[0])) return {};
  while (number.suffix[0] == ' ' || number.suffix[0] == '\t') number.suffix.remove_prefix(1);
  return number;
}

}  // namespace

CellNumber cell_number(std::string_view cell, char decimal_mark) {
  if (is_word(cell, kMissing)) return {CellKind::missing, 0, {}};
  std::string_view digits = cell;
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  if (is_word(digits, kNotFinite)) return {CellKind::not_finite, 0, {}};
  // from_chars would take the words "infinite" and "nanosecond" for numbers.
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  if (digits.size() > kLongest || digits.size() == first ||
      (!is_digit(digits[first]) && digits[first] != '.' && digits[first] != ','))
    return {};
  if (decimal_mark == '.') return read_number(digits);
  const std::size_t comma = digits.find(',');
  if (digits.find('.') != std::string_view::npos) return {};
  if (comma == std::string_view::npos) return read_number(digits);
  std::array<char, kLongest> pointed{};
  std::ranges::copy(digits, pointed.begin());
  pointed[comma] = '.';
  CellNumber number = read_number({pointed.data(), digits.size()});
  number.suffix = digits.substr(digits.size() - number.suffix.size());
  return number;
}

}  // namespace huddle
