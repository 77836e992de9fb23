#include "aggregator/cli/forecast_output.hpp"

#include <fmt/format.h>

#include "aggregator/cli/table.hpp"

namespace huddle {
namespace {

constexpr Table::Align kLeft = Table::Align::kLeft;

void add_row(Table& table, const PatternForecast& forecast, std::string mark) {
  table.add({std::move(mark), forecast.pattern, std::to_string(forecast.nodes),
             std::to_string(forecast.ranks_per_node), fmt::format("{:.4g}", forecast.time.value),
             fmt::format("{:.4g}", forecast.computation.value),
             fmt::format("{:.4g}", forecast.communication.value),
             fmt::format("{:+.1f}", forecast.slowdown * 100), forecast.reason});
}

}  // namespace

std::string forecast_table(const PatternForecast& reference,
                           const std::vector<PatternForecast>& ranked, bool first_is_chosen) {
  Table table({{"", kLeft},
               {"pattern", kLeft},
               {"nodes"},
               {"ranks/node"},
               {"time s"},
               {"computing s"},
               {"communicating s"},
               {"slowdown %"},
               {"why not", kLeft}});
  add_row(table, reference, "reference");
  for (std::size_t i = 0; i < ranked.size(); ++i)
    add_row(table, ranked[i], i == 0 && first_is_chosen ? "chosen" : "");
  return table.text();
}

std::string forecast_table(const Plan& plan) {
  std::vector<PatternForecast> ranked = {plan.chosen};
  ranked.insert(ranked.end(), plan.runners_up.begin(), plan.runners_up.end());
  return forecast_table(plan.reference, ranked, true);
}

}  // namespace huddle
