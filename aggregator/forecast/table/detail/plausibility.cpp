#include "aggregator/forecast/table/detail/plausibility.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr double kLeastWattsOfCore = 1e-3;
constexpr double kMostWattsOfNode = 10e3;
// Meters that count seldom give a few odd rows.
constexpr double kLeastShare = 0.05;

double value_or_1(const MeasuredColumn* column, std::size_t row) {
  return column == nullptr ? 1 : column->values[row];
}

// "33 uW", "52 kW".
std::string watts_text(double watts) {
  constexpr std::string_view kPrefixes = "pnum kMGT";
  std::size_t prefix = 4;
  while (prefix > 0 && watts < 1) watts *= 1e3, --prefix;
  while (prefix + 1 < kPrefixes.size() && watts >= 1e3) watts /= 1e3, ++prefix;
  return fmt::format("{:.3g} {}W", watts, trimmed(kPrefixes.substr(prefix, 1)));
}

}  // namespace

std::string doubt_of_power(const MeasurementTable& table) {
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* energy = table.find(ColumnRole::energy);
  if (time == nullptr || energy == nullptr) return {};
  const MeasuredColumn* processes = table.find(ColumnRole::processes);
  const MeasuredColumn* threads = table.find(ColumnRole::threads);
  const MeasuredColumn* nodes = table.find(ColumnRole::nodes);
  const MeasuredColumn* ranks = table.find(ColumnRole::ranks_per_node);
  std::size_t measured = 0;
  std::size_t low = 0;
  std::size_t high = 0;
  double first = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double watts = energy->values[row] / time->values[row];
    if (!(watts > 0) || !std::isfinite(watts)) continue;
    ++measured;
    const double all = value_or_1(processes, row);
    const bool is_low = watts < kLeastWattsOfCore * all * value_or_1(threads, row);
    const double on = nodes != nullptr ? nodes->values[row] : all / value_or_1(ranks, row);
    const bool is_high = watts > kMostWattsOfNode * std::ceil(on);
    if ((is_low || is_high) && low + high == 0) first = watts;
    low += is_low ? 1 : 0;
    high += is_high ? 1 : 0;
  }
  if (static_cast<double>(low + high) <= kLeastShare * static_cast<double>(measured)) return {};
  return fmt::format(
      "\"{}\" over \"{}\" is {} in {} of {} (the first of them): no machine draws {}. Are both "
      "units "
      "right? --column energy=NAME:UNIT and --column time=NAME:UNIT say others.",
      energy->name, time->name, watts_text(first), low + high, pluralize(measured, "row"),
      low >= high ? "less than 1 mW a core" : "more than 10 kW a node");
}

}  // namespace huddle::forecast
