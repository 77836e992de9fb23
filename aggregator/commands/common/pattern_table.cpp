#include "aggregator/commands/common/pattern_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::cli {
namespace {

constexpr render::Table::Align kLeft = render::Table::Align::kLeft;

std::string interval_of(const PatternForecast& forecast) {
  if (!forecast.time_low || !forecast.time_high) return "unknown";
  return interval_text(forecast.time_low->value, forecast.time_high->value);
}

// The columns in which there is something to say.
struct Columns {
  bool intervals = false;
  bool energy = false;
  bool machine_energy = false;
  bool frequency = false;
  bool coverage = false;
};

std::string joules(const std::optional<Joules>& energy) {
  return energy ? fmt::format("{:.4g}", energy->value) : "unknown";
}

void add_row(render::Table& table, const PatternForecast& forecast, std::string mark,
             Columns with) {
  std::vector<std::string> cells = {std::move(mark), forecast.pattern,
                                    std::to_string(forecast.nodes),
                                    std::to_string(forecast.ranks_per_node)};
  if (with.frequency)
    cells.push_back(forecast.frequency ? text_of(*forecast.frequency) : "as it is");
  cells.push_back(fmt::format("{:.4g}", forecast.time.value));
  if (with.intervals) cells.push_back(interval_of(forecast));
  cells.insert(cells.end(), {fmt::format("{:.4g}", forecast.computation.value),
                             fmt::format("{:.4g}", forecast.communication.value),
                             percent_text(forecast.slowdown)});
  if (with.coverage) cells.push_back(forecast.rests_on);
  if (with.energy) cells.push_back(joules(forecast.energy));
  if (with.machine_energy) cells.push_back(joules(forecast.machine_energy));
  cells.push_back(forecast.reason);
  table.add(std::move(cells));
}

std::vector<render::Table::Column> columns(Columns with) {
  std::vector<render::Table::Column> columns = {
      {"", kLeft}, {"pattern", kLeft}, {"nodes"}, {"ranks/node"}};
  if (with.frequency) columns.push_back({"frequency"});
  columns.push_back({"time s"});
  if (with.intervals) columns.push_back({"90 % interval"});
  columns.insert(columns.end(), {{"computing s"}, {"communicating s"}, {"slowdown %"}});
  if (with.coverage) columns.push_back({"rests on", kLeft});
  if (with.energy) columns.push_back({"energy J"});
  if (with.machine_energy) columns.push_back({"machine's J"});
  columns.push_back({"why not", kLeft});
  return columns;
}

}  // namespace

std::string pattern_table(const PatternForecast& reference,
                          const std::vector<PatternForecast>& ranked, bool first_is_chosen) {
  const auto any = [&](const auto& has) { return std::any_of(ranked.begin(), ranked.end(), has); };
  const Columns with{
      any([](const PatternForecast& forecast) { return forecast.time_low.has_value(); }),
      any([](const PatternForecast& forecast) { return forecast.energy.has_value(); }),
      any([](const PatternForecast& forecast) { return forecast.machine_energy.has_value(); }),
      any([](const PatternForecast& forecast) { return forecast.frequency.has_value(); }),
      any([](const PatternForecast& forecast) { return !forecast.rests_on.empty(); })};
  render::Table table(columns(with));
  add_row(table, reference, "reference", with);
  for (std::size_t i = 0; i < ranked.size(); ++i)
    add_row(table, ranked[i], i == 0 && first_is_chosen ? "chosen" : "", with);
  return table.text();
}

std::string pattern_table(const Plan& plan) {
  std::vector<PatternForecast> ranked = {plan.chosen};
  ranked.insert(ranked.end(), plan.runners_up.begin(), plan.runners_up.end());
  return pattern_table(plan.reference, ranked, true);
}

}  // namespace huddle::cli
