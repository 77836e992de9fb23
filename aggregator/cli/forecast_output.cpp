#include "aggregator/cli/forecast_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/cli/table.hpp"

namespace huddle {
namespace {

constexpr Table::Align kLeft = Table::Align::kLeft;

std::string interval_of(const PatternForecast& forecast) {
  if (!forecast.time_low || !forecast.time_high) return "unknown";
  return fmt::format("{:.4g} to {:.4g}", forecast.time_low->value, forecast.time_high->value);
}

void add_row(Table& table, const PatternForecast& forecast, std::string mark, bool intervals) {
  std::vector<std::string> cells = {
      std::move(mark), forecast.pattern, std::to_string(forecast.nodes),
      std::to_string(forecast.ranks_per_node), fmt::format("{:.4g}", forecast.time.value)};
  if (intervals) cells.push_back(interval_of(forecast));
  cells.insert(cells.end(), {fmt::format("{:.4g}", forecast.computation.value),
                             fmt::format("{:.4g}", forecast.communication.value),
                             fmt::format("{:+.1f}", forecast.slowdown * 100), forecast.reason});
  table.add(std::move(cells));
}

std::vector<Table::Column> columns(bool intervals) {
  std::vector<Table::Column> columns = {
      {"", kLeft}, {"pattern", kLeft}, {"nodes"}, {"ranks/node"}, {"time s"}};
  if (intervals) columns.push_back({"90 % interval"});
  columns.insert(columns.end(),
                 {{"computing s"}, {"communicating s"}, {"slowdown %"}, {"why not", kLeft}});
  return columns;
}

}  // namespace

std::string forecast_table(const PatternForecast& reference,
                           const std::vector<PatternForecast>& ranked, bool first_is_chosen) {
  const bool intervals =
      std::any_of(ranked.begin(), ranked.end(),
                  [](const PatternForecast& forecast) { return forecast.time_low.has_value(); });
  Table table(columns(intervals));
  add_row(table, reference, "reference", intervals);
  for (std::size_t i = 0; i < ranked.size(); ++i)
    add_row(table, ranked[i], i == 0 && first_is_chosen ? "chosen" : "", intervals);
  return table.text();
}

std::string forecast_table(const Plan& plan) {
  std::vector<PatternForecast> ranked = {plan.chosen};
  ranked.insert(ranked.end(), plan.runners_up.begin(), plan.runners_up.end());
  return forecast_table(plan.reference, ranked, true);
}

}  // namespace huddle
