// The first lines of huddle forecast for people: what came out, and how far to trust it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "aggregator/commands/forecast/forecast_output.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

// Below this, rows repeat hardly anything, and intervals rest on few that were left out.
constexpr std::size_t kFewRows = 28;
// Shares of what differs between rows, see R^2.
constexpr double kGood = 0.9;
constexpr double kOfUse = 0.5;

// The bound of nine errors in ten, of the value.
double error_of(const forecast::Estimate& estimate) {
  return std::max(estimate.high / estimate.value - 1, 1 - estimate.low / estimate.value);
}

std::string text_of(const forecast::Estimate& estimate, std::string_view unit) {
  if (!is_useful_interval(estimate.low, estimate.high) || !(estimate.value > 0))
    return fmt::format("{:.4g} {}, which is a guess", estimate.value, unit);
  return fmt::format("{:.4g} {} within {:.2g} %", estimate.value, unit, 100 * error_of(estimate));
}

const forecast::Estimate& judged(const forecast::ForecastAt& forecast) {
  return forecast.time_s ? *forecast.time_s : *forecast.energy_j;
}

std::string verdict_at(const ForecastAnswer& answer) {
  const auto best = std::ranges::min_element(
      answer.forecasts, {}, [](const forecast::ForecastAt& one) { return judged(one).value; });
  std::vector<std::string> figures;
  if (best->time_s) figures.push_back(text_of(*best->time_s, "s"));
  if (best->energy_j) figures.push_back(text_of(*best->energy_j, "J"));
  const bool one = answer.forecasts.size() == 1;
  return fmt::format("{}{}: {}{}.",
                     one ? "Forecast: "
                         : fmt::format("{} of the {}: ", best->time_s ? "Fastest" : "Least energy",
                                       answer.forecasts.size()),
                     text_of(best->where, answer.known), fmt::join(figures, ", "),
                     best->beyond.empty() ? ", in nine cases of ten"
                                          : ", beyond what was measured, where nothing is sure");
}

// The sampling from which the rows that it did not see are predicted best.
std::string verdict_of(const forecast::MethodStudy& study) {
  const forecast::SamplingResult* best = nullptr;
  for (const forecast::SamplingResult& sampling : study.samplings)
    if (sampling.possible && (best == nullptr || std::max(sampling.r2, sampling.linear_r2) >
                                                     std::max(best->r2, best->linear_r2)))
      best = &sampling;
  const std::string_view name = study.target == forecast::ColumnRole::energy ? "Energy" : "Time";
  if (best == nullptr)
    return fmt::format("{}: no sampling of the rows could be learnt from.", name);
  const double r2 = std::max(best->r2, best->linear_r2);
  if (!(r2 > 0))
    return fmt::format(
        "{}: these rows do not tell it: no sampling predicts the other rows better than their mean "
        "does (R^2 below 0).",
        name);
  return fmt::format(
      "{}: {}: {}, learnt from {}, explains {:.3g} % of how the other {} differ (R^2).", name,
      r2 >= kGood ? "well told by these rows"
                  : (r2 >= kOfUse ? "told in part by these rows" : "hardly told by these rows"),
      best->r2 >= best->linear_r2 ? "a random forest" : "linear regression",
      pluralize(best->training_rows, "row"), 100 * r2, pluralize(best->test_rows, "row"));
}

}  // namespace

std::string text_of(const forecast::Configuration& where, KnownFactors known) {
  std::string name = fmt::format("{:.10g} x {:.10g}", where.processes, where.threads);
  if (known.size) name = fmt::format("size {:.10g}, {}", where.size, name);
  if (known.frequency) name += fmt::format(", {:.4g} GHz", where.frequency_ghz);
  if (known.nodes)
    name += fmt::format(", {:.10g} {}", where.nodes, where.nodes == 1 ? "node" : "nodes");
  if (known.packages)
    name += fmt::format(", {:.10g} {} of each", where.packages,
                        where.packages == 1 ? "package" : "packages");
  return name;
}

std::vector<std::string> verdict_of(const ForecastAnswer& answer) {
  std::vector<std::string> lines;
  if (!answer.forecasts.empty()) lines.push_back(verdict_at(answer));
  for (const forecast::MethodStudy& study : answer.studies) lines.push_back(verdict_of(study));
  if (lines.empty()) lines.emplace_back("Nothing could be learnt from these rows; see below why.");
  if (answer.screening.kept < kFewRows)
    lines.push_back(fmt::format("{} few.", pluralize(answer.screening.kept, "row is", "rows are")));
  return lines;
}

}  // namespace huddle::cli
