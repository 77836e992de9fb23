// The output of huddle forecast for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/commands/forecast/forecast_output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

constexpr render::Table::Align kLeft = render::Table::Align::kLeft;
constexpr std::size_t kMostText = 400;
// Files of counters have hundreds of columns.
constexpr std::size_t kMostVariables = 25;

// The R^2 of few rows may be anything below 0, and an error many times the value.
std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  return std::abs(share) < 1000 ? fmt::format("{:.2f}", 100 * share)
                                : fmt::format("{:.1e}", 100 * share);
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

std::string lines_of(const std::vector<std::string>& sentences, std::string_view before) {
  std::string text;
  for (const std::string& sentence : sentences)
    text += fmt::format("{}{}\n", before, shortened(sentence, kMostText));
  return text;
}

std::string left_out_lines(const std::vector<forecast::LeftOutRows>& left_out) {
  std::string text;
  for (const forecast::LeftOutRows& rows : left_out) {
    text +=
        fmt::format("  left out: {}, {}", pluralize(rows.rows, "row"), shortened(rows.reason, 200));
    if (!rows.first.empty()) text += fmt::format(" (first: {})", shortened(rows.first, 200));
    text += "\n";
  }
  return text;
}

std::string capitalised(forecast::ColumnRole target) {
  return target == forecast::ColumnRole::energy ? "Energy" : "Time";
}

std::string importance_table(const forecast::MethodStudy& study) {
  render::Table table({{"variable", kLeft}, {"importance"}, {"", kLeft}});
  std::size_t shown = 0;
  for (const forecast::VariableImportance& variable : study.importance)
    if (shown < kMostVariables || variable.kept) {
      table.add({shortened(variable.variable, 40), number(variable.importance),
                 variable.kept ? "kept" : ""});
      ++shown;
    }
  const std::size_t more = study.importance.size() - shown;
  if (more == 0) return table.text();
  return table.text() + fmt::format("... and {} of less importance (--json has all)\n",
                                    pluralize(more, "variable"));
}

std::string samplings_table(const forecast::MethodStudy& study) {
  render::Table table({{"rows"},
                       {"learnt from"},
                       {"R^2 %"},
                       {"linear %"},
                       {"s"},
                       {"linear s"},
                       {"Selection"},
                       {"cross-validated %"},
                       {"", kLeft}});
  for (std::size_t i = 0; i < study.samplings.size(); ++i) {
    const forecast::SamplingResult& sampling = study.samplings[i];
    std::string mark = sampling.possible ? "" : "too few rows";
    if (i == study.elected) mark = "elected";
    if (study.fewest == i) mark += mark.empty() ? "fewest" : ", fewest";
    table.add({sampling.name, std::to_string(sampling.training_rows), percent(sampling.r2),
               percent(sampling.linear_r2), number(sampling.seconds),
               number(sampling.linear_seconds), number(sampling.selection),
               percent(sampling.cross_validated_r2), mark});
  }
  return table.text();
}

// Before numbers that look like mistakes.
std::string below_zero_text(const forecast::MethodStudy& study) {
  const bool is_below =
      std::ranges::any_of(study.samplings, [](const forecast::SamplingResult& sampling) {
        return sampling.r2 < 0 || sampling.linear_r2 < 0 || sampling.cross_validated_r2 < 0;
      });
  if (!is_below) return {};
  return "An R^2 below 0 is of a prediction that is worse than the mean of the rows: of no use.\n";
}

std::string interval(const forecast::Estimate& estimate) {
  if (!is_useful_interval(estimate.low, estimate.high)) return kNoUsefulInterval;
  return fmt::format("{} to {}", number(estimate.low), number(estimate.high));
}

std::vector<render::Table::Column> forecast_titles(KnownFactors known) {
  std::vector<render::Table::Column> titles;
  if (known.size) titles.push_back({"size"});
  titles.insert(titles.end(), {{"processes"}, {"threads"}});
  if (known.frequency) titles.push_back({"GHz"});
  if (known.nodes) titles.push_back({"nodes"});
  if (known.packages) titles.push_back({"packages"});
  titles.insert(titles.end(),
                {{"predicted", kLeft}, {"value"}, {"90 % interval", kLeft}, {"by", kLeft}});
  return titles;
}

void add_forecast(render::Table& table, const forecast::ForecastAt& forecast, KnownFactors known) {
  const forecast::Configuration& where = forecast.where;
  const auto add = [&](const char* quantity, const forecast::Estimate& estimate,
                       const std::string& model) {
    std::vector<std::string> cells;
    if (known.size) cells.push_back(fmt::format("{:.10g}", where.size));
    cells.push_back(fmt::format("{:.10g}", where.processes));
    cells.push_back(fmt::format("{:.10g}", where.threads));
    if (known.frequency) cells.push_back(fmt::format("{:.4g}", where.frequency_ghz));
    if (known.nodes) cells.push_back(fmt::format("{:.10g}", where.nodes));
    if (known.packages) cells.push_back(fmt::format("{:.10g}", where.packages));
    cells.insert(cells.end(),
                 {quantity, number(estimate.value), interval(estimate), shortened(model, 100)});
    table.add(std::move(cells));
  };
  if (forecast.time_s) add("time s", *forecast.time_s, forecast.time_model);
  if (forecast.energy_j) add("energy J", *forecast.energy_j, forecast.energy_model);
}

std::string warnings(const forecast::ForecastAt& forecast, KnownFactors known) {
  if (forecast.beyond.empty()) return "";
  std::string factors;
  for (const std::string& factor : forecast.beyond)
    factors += fmt::format("{}{}", factors.empty() ? "" : ", ", shortened(factor));
  return fmt::format(
      "Warning: {} lies beyond what was measured ({}): the program may not go on as it did.\n",
      text_of(forecast.where, known), factors);
}

// Instead of intervals that say nothing.
std::string why_not_predicted(const forecast::ForecastAt& forecast, KnownFactors known) {
  std::string text;
  const auto add = [&](const char* quantity, const std::string& why) {
    if (!why.empty())
      text += fmt::format("{} of {}: {}.\n", quantity, text_of(forecast.where, known),
                          shortened(why, kMostText));
  };
  add("Time", forecast.time_not_predicted);
  add("Energy", forecast.energy_not_predicted);
  return text;
}

std::string forecasts_text(const std::vector<forecast::ForecastAt>& forecasts, KnownFactors known) {
  render::Table table(forecast_titles(known));
  std::string below;
  for (const forecast::ForecastAt& forecast : forecasts) {
    add_forecast(table, forecast, known);
    below += warnings(forecast, known) + why_not_predicted(forecast, known);
    if (forecast.measured_rows > 0)
      below += fmt::format("Measured: {}, {}.\n", text_of(forecast.where, known),
                           pluralize(forecast.measured_rows, "row"));
  }
  return "\n" + table.text() + below;
}

std::string next_text(const std::vector<forecast::ForecastAt>& next, KnownFactors known) {
  std::string text;
  for (const forecast::ForecastAt& forecast : next) {
    const std::optional<forecast::Estimate>& least =
        forecast.time_s ? forecast.time_s : forecast.energy_j;
    text += fmt::format("{}{} ({} {})", text.empty() ? "To know more, measure " : ", then ",
                        text_of(forecast.where, known), forecast.time_s ? "time s" : "energy J",
                        interval(*least));
  }
  return text.empty() ? text : text + ".\n";
}

// The rows that were read, and those that were left out, and why.
std::string rows_text(const ForecastAnswer& report) {
  const forecast::MeasurementReading& reading = report.reading;
  std::string text = fmt::format(
      "{}: {} of {} serve: {}, {}, {} of processes x threads x frequency{}\n",
      shortened(report.files[0], 200), report.screening.kept, pluralize(reading.rows, "row"),
      pluralize(report.regions.size(), "region"), pluralize(report.sizes, "problem size"),
      pluralize(report.configurations, "configuration"), report.layouts ? " x layout" : "");
  if (report.files.size() > 1)
    text.insert(text.find(':'),
                fmt::format(" and {}", pluralize(report.files.size() - 1, "more file")));
  text += left_out_lines(reading.left_out) + left_out_lines(report.screening.left_out);
  return text + lines_of(reading.remarks, "  ") + lines_of(report.screening.remarks, "  ");
}

// Importance and samplings for one target.
std::string method_text(const forecast::MethodStudy& study) {
  std::size_t kept = 0;
  for (const forecast::VariableImportance& variable : study.importance)
    if (variable.kept) ++kept;
  std::string text =
      fmt::format("\n{}, by the published method (TOEP), {:.3g} s in all\n\n",
                  capitalised(study.target), study.seconds) +
      importance_table(study) + lines_of(study.remarks, "") +
      fmt::format("R^2 with all {} variables {} %, with the {} kept {} % (learnt from {})\n\n",
                  study.importance.size(), percent(study.all_variables_r2), kept,
                  percent(study.kept_variables_r2), study.samplings[study.compared].name) +
      below_zero_text(study) + samplings_table(study);
  text +=
      "Selection = R^2 in % over s: it depends on how fast this machine is, and so may what it "
      "elects.\n";
  if (!study.fewest)
    return text + fmt::format("No sampling has a cross-validated R^2 of {:.4g} %.\n",
                              100 * study.asked_r2);
  const forecast::SamplingResult& fewest = study.samplings[*study.fewest];
  return text + fmt::format(
                    "The fewest rows whose cross-validated R^2 reaches {:.4g} %, on any machine: "
                    "{} ({}).\n",
                    100 * study.asked_r2, fewest.training_rows, fewest.name);
}

}  // namespace

std::string forecast_text(const ForecastAnswer& answer) {
  std::string text = lines_of(verdict_of(answer), "") +
                     lines_of(answer.reading.warnings, "Warning: ") +
                     next_text(answer.next, answer.known) + "\n" + rows_text(answer);
  for (const forecast::MethodStudy& study : answer.studies) text += method_text(study);
  if (!answer.forecasts.empty()) text += forecasts_text(answer.forecasts, answer.known);
  const std::string remarks = lines_of(answer.remarks, "");
  return remarks.empty() ? text : text + "\n" + remarks;
}

}  // namespace huddle::cli
