#include "aggregator/forecast/table/detail/cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "profiles/import/tool_tables.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::string_view kMissing = "na n/a #n/a <na> null none nil - -- ? . missing";
constexpr std::string_view kNotFinite =
    "nan -nan nanq inf -inf infinity -infinity 1.#inf -1.#inf 1.#qnan -1.#ind 1.#ind #div/0! #num! "
    "#value! nan(ind) -nan(ind) nan(snan)";
// Longer ones are no number or duration that anybody wrote.
constexpr std::size_t kLongest = 400;

struct NamedUnits {
  std::string_view names;
  MeasurementUnit unit;
};

// Of two units that differ by case only, the one in small letters comes first.
constexpr auto kUnits = std::to_array<NamedUnits>({
    {"s sec secs second seconds", {Dimension::time, 1, 1}},
    {"ms msec msecs millisecond milliseconds", {Dimension::time, 1, 1e3}},
    // With the micro sign and the Greek letter.
    {"us \u00b5s \u03bcs usec usecs microsecond microseconds", {Dimension::time, 1, 1e6}},
    {"ns nsec nanosecond nanoseconds", {Dimension::time, 1, 1e9}},
    {"min minute minutes", {Dimension::time, 60, 1}},
    {"h hour hours", {Dimension::time, 3600, 1}},
    {"J joule joules Ws", {Dimension::energy, 1, 1}},
    {"mJ", {Dimension::energy, 1, 1e3}},
    {"MJ", {Dimension::energy, 1e6, 1}},
    {"uJ \u00b5J \u03bcJ", {Dimension::energy, 1, 1e6}},
    {"nJ", {Dimension::energy, 1, 1e9}},
    {"kJ", {Dimension::energy, 1e3, 1}},
    {"mWh", {Dimension::energy, 3.6, 1}},
    {"MWh", {Dimension::energy, 3.6e9, 1}},
    {"Wh", {Dimension::energy, 3600, 1}},
    {"kWh", {Dimension::energy, 3.6e6, 1}},
    {"GHz", {Dimension::frequency, 1, 1}},
    {"MHz", {Dimension::frequency, 1, 1e3}},
    {"kHz", {Dimension::frequency, 1, 1e6}},
    {"Hz", {Dimension::frequency, 1, 1e9}},
    {"W watt watts", {Dimension::power, 1, 1}},
    {"mW", {Dimension::power, 1, 1e3}},
    {"MW", {Dimension::power, 1e6, 1}},
    {"kW", {Dimension::power, 1e3, 1}},
});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Small enough to be looked up: words are short, and most cells are numbers.
bool is_word_of(std::string_view words, std::string_view cell) {
  return cell.size() <= 12 && has_word(words, in_lower_case(cell));
}

bool may_begin_suffix(char c) {
  return (in_lower_case(c) >= 'a' && in_lower_case(c) <= 'z') || c == '%' || c == ' ' ||
         c == '\t' || (c & '\x80') != 0;
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

CellNumber number_with_suffix(std::string_view cell) {
  CellNumber number = number_in_front(cell);
  if (number.kind == CellKind::text || number.suffix.empty()) return number;
  if (in_lower_case(number.suffix[0]) == 'd') {  // maybe the exponent of Fortran's "1.5D+03"
    std::string with_e(cell);
    with_e[cell.size() - number.suffix.size()] = 'e';
    const CellNumber whole = number_in_front(with_e);
    if (whole.suffix.empty()) return whole;
  }
  if (!may_begin_suffix(number.suffix[0])) return {};
  while (number.suffix[0] == ' ' || number.suffix[0] == '\t') number.suffix.remove_prefix(1);
  return number;
}

// Digits in front, and the mark behind them.
std::optional<double> take_number(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view digits = rest.substr(0, end);
  if (end == std::string_view::npos || digits.empty() || !std::ranges::all_of(digits, is_digit))
    return std::nullopt;
  rest.remove_prefix(end + 1);
  return number_in_front(digits).value;
}

}  // namespace

CellNumber cell_number(std::string_view cell, char decimal_mark) {
  if (cell.empty() || is_word_of(kMissing, cell)) return {CellKind::missing, 0, {}};
  std::string_view digits = cell;
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  if (is_word_of(kNotFinite, digits)) return {CellKind::not_finite, 0, {}};
  // from_chars would take the words "infinite" and "nanosecond" for numbers.
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  if (digits.size() > kLongest || digits.size() == first ||
      (!is_digit(digits[first]) && digits[first] != '.' && digits[first] != ','))
    return {};
  if (decimal_mark == '.') return number_with_suffix(digits);
  if (digits.find('.') != std::string_view::npos) return {};
  std::string pointed(digits);
  if (const std::size_t comma = pointed.find(','); comma != std::string::npos) pointed[comma] = '.';
  CellNumber number = number_with_suffix(pointed);
  number.suffix = digits.substr(digits.size() - number.suffix.size());
  return number;
}

std::optional<double> duration_in(std::string_view cell) {
  constexpr std::size_t kLongestDuration = 40;
  if (cell.size() > kLongestDuration) return std::nullopt;
  std::string_view rest = cell;
  const double days = take_number(rest, '-').value_or(0);
  const std::optional<double> hours = take_number(rest, ':');
  const std::optional<double> minutes = take_number(rest, ':');
  if (!hours || !minutes || *minutes >= 60 || rest.empty() || !is_digit(rest.front()) ||
      rest.find_first_of("eE") != std::string_view::npos)
    return std::nullopt;
  const CellNumber seconds = number_in_front(rest);
  if (!seconds.suffix.empty() || seconds.value >= 61) return std::nullopt;
  return ((days * 24 + *hours) * 60 + *minutes) * 60 + seconds.value;
}

std::optional<MeasurementUnit> unit_named(std::string_view text) {
  if (text.find(' ') != std::string_view::npos) return std::nullopt;
  for (const NamedUnits& known : kUnits)
    if (has_word(known.names, text)) return known.unit;
  for (const NamedUnits& known : kUnits)
    if (has_word(in_lower_case(known.names), in_lower_case(text))) return known.unit;
  return std::nullopt;
}

int thousands_named(std::string_view suffix) {
  constexpr std::string_view kLetters = "KMGTP";
  if (suffix.size() != 1) return 0;
  const std::size_t found = kLetters.find(suffix == "k" ? 'K' : suffix[0]);
  return found == std::string_view::npos ? 0 : static_cast<int>(found) + 1;
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

std::string_view base_unit_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"", "s", "J", "GHz", "W"};
  return kNames[static_cast<std::size_t>(dimension)];
}

std::string_view units_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "s, ms, us, ns, min or h",
                                                      "J, kJ, MJ, mJ, uJ, Wh or kWh",
                                                      "GHz, MHz, kHz or Hz", "W, kW or mW"};
  return kNames[static_cast<std::size_t>(dimension)];
}

}  // namespace huddle
