#include "aggregator/commands/forecast/asked_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

constexpr std::string_view kExpected =
    "size=N,processes=P,threads=T,frequency=F, each once at most: numbers above 0 (processes and "
    "threads whole), and a frequency such as 2.7GHz";
constexpr double kLeastHertz = 1e6;

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError(fmt::format("--at {}: expected {}", shortened(text), kExpected));
}

double number_from(const std::string& text, std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value) ||
      value <= 0)
    refuse(text);
  return value;
}

double size_from(const std::string& text, std::string_view size) {
  const std::optional<double> parsed = parse_problem_size(size);
  if (!parsed) refuse(text);
  return *parsed;
}

double count_from(const std::string& text, std::string_view number) {
  const double value = number_from(text, number);
  if (value != std::floor(value)) refuse(text);
  return value;
}

double gigahertz_from(const std::string& text, std::string_view frequency) {
  const std::optional<Hertz> parsed = parse_frequency(frequency);
  if (!parsed || static_cast<double>(parsed->value) < kLeastHertz) refuse(text);
  return static_cast<double>(parsed->value) / 1e9;
}

void take(AskedConfiguration& asked, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) refuse(asked.text);
  const std::string_view name = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  const auto set = [&](std::optional<double>& factor, auto&& parse) {
    if (factor) refuse(asked.text);
    factor = parse(asked.text, value);
  };
  if (name == "size")
    set(asked.size, size_from);
  else if (name == "processes")
    set(asked.processes, count_from);
  else if (name == "threads")
    set(asked.threads, count_from);
  else if (name == "frequency")
    set(asked.frequency_ghz, gigahertz_from);
  else
    refuse(asked.text);
}

// "1, 2, 4, 8, ... 32".
std::string listed(const std::set<double>& values) {
  constexpr std::size_t kMost = 6;
  std::string text;
  std::size_t shown = 0;
  for (const double value : values) {
    if (++shown > kMost) return fmt::format("{}, ... {:.6g}", text, *values.rbegin());
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  }
  return text;
}

double factor_of(const AskedConfiguration& asked, const std::optional<double>& named,
                 ColumnRole role, const MeasurementTable& rows) {
  const MeasuredColumn* column = rows.find(role);
  if (column == nullptr) {
    if (named && *named != 1)
      throw UsageError(
          fmt::format("--at {}: the rows do not tell {}: leave it away, or say which "
                      "column holds it (--column {}=NAME)",
                      shortened(asked.text), name_of(role), name_of(role)));
    return 1;
  }
  if (named) return *named;
  const std::set<double> values(column->values.begin(), column->values.end());
  if (values.size() == 1) return *values.begin();
  throw UsageError(fmt::format("--at {}: {} is missing, and the rows have {} of them: {}",
                               shortened(asked.text), name_of(role), values.size(),
                               listed(values)));
}

}  // namespace

AskedConfiguration parse_configuration(const std::string& text) {
  AskedConfiguration asked;
  asked.text = text;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    take(asked, rest.substr(0, comma));
    if (comma == std::string_view::npos) return asked;
    rest.remove_prefix(comma + 1);
  }
}

Configuration completed(const AskedConfiguration& asked, const MeasurementTable& rows) {
  return {factor_of(asked, asked.size, ColumnRole::size, rows),
          factor_of(asked, asked.processes, ColumnRole::processes, rows),
          factor_of(asked, asked.threads, ColumnRole::threads, rows),
          factor_of(asked, asked.frequency_ghz, ColumnRole::frequency, rows)};
}

}  // namespace huddle
