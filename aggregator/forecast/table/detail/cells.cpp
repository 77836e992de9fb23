#include "aggregator/forecast/table/detail/cells.hpp"

#include <array>
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

struct NamedUnits {
  std::string_view names;
  MeasurementUnit unit;
};

// The one of two units that differ by case only which is in small letters comes first.
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

std::optional<MeasurementUnit> unit_named(std::string_view text) {
  if (text.find(' ') != std::string_view::npos) return std::nullopt;
  for (const NamedUnits& known : kUnits)
    if (imports::has_word(known.names, text)) return known.unit;
  for (const NamedUnits& known : kUnits)
    if (imports::has_word(in_lower_case(known.names), in_lower_case(text))) return known.unit;
  return std::nullopt;
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

}  // namespace huddle::forecast
