#include "aggregator/forecast/table/cell_duration.hpp"

#include <algorithm>
#include <charconv>

namespace huddle {
namespace {

constexpr std::size_t kLongest = 40;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Digits in front, and the mark behind them.
std::optional<double> take_number(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  const std::string_view digits = rest.substr(0, end);
  if (end == std::string_view::npos || digits.empty() || !std::ranges::all_of(digits, is_digit))
    return std::nullopt;
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  rest.remove_prefix(end + 1);
  return value;
}

}  // namespace

std::optional<double> duration_in(std::string_view cell) {
  if (cell.size() > kLongest) return std::nullopt;
  std::string_view rest = cell;
  const double days = take_number(rest, '-').value_or(0);
  const std::optional<double> hours = take_number(rest, ':');
  const std::optional<double> minutes = take_number(rest, ':');
  if (!hours || !minutes || *minutes >= 60 || rest.empty() || !is_digit(rest.front()))
    return std::nullopt;
  double seconds = 0;
  const auto [end, failure] =
      std::from_chars(rest.data(), rest.data() + rest.size(), seconds, std::chars_format::fixed);
  if (failure != std::errc{} || end != rest.data() + rest.size() || seconds >= 61)
    return std::nullopt;
  return ((days * 24 + *hours) * 60 + *minutes) * 60 + seconds;
}

}  // namespace huddle
