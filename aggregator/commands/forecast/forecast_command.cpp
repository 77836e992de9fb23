// huddle forecast: time and energy of a program on sizes and configurations that were not run.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/forecast/asked_configuration.hpp"
#include "aggregator/commands/forecast/forecast_output.hpp"
#include "aggregator/commands/forecast/rows_options.hpp"
#include "aggregator/forecast/program/next_measurements.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/program_runs.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct ForecastOptions {
  RowsOptions rows;
  std::string target = "both";
  std::vector<std::string> at;
  std::vector<std::string> keep;
  std::string r2 = "95%";
  bool json = false;
};

std::vector<forecast::ColumnRole> targets_of(const ForecastOptions& options,
                                             const forecast::MeasurementTable& rows) {
  const bool energy = rows.find(forecast::ColumnRole::energy) != nullptr;
  const bool time = rows.find(forecast::ColumnRole::time) != nullptr;
  if (!energy && !time)
    throw Error(
        fmt::format("{}: neither energy nor time was found among the columns: say which "
                    "they are (--column energy=NAME, --column time=NAME)",
                    shortened(options.rows.files[0])));
  std::vector<forecast::ColumnRole> targets;
  if (options.target != "time" && energy) targets.push_back(forecast::ColumnRole::energy);
  if (options.target != "energy" && time) targets.push_back(forecast::ColumnRole::time);
  if (targets.empty())
    throw Error(fmt::format("{}: no column holds {}: say which does (--column {}=NAME)",
                            shortened(options.rows.files[0]), options.target, options.target));
  return targets;
}

forecast::MethodSettings method_settings(const ForecastOptions& options) {
  forecast::MethodSettings settings;
  settings.keep = options.keep;
  settings.asked_r2 = share_from("--r2", options.r2);
  return settings;
}

// A study that fails for one target becomes a remark: the other is still of use.
void study(const forecast::MeasurementTable& rows, forecast::ColumnRole target,
           forecast::MethodSettings settings, ForecastAnswer& answer) {
  render::Progress progress(fmt::format("{}, percent of the published method:", name_of(target)));
  settings.progress = [&](double done) {
    progress.show(static_cast<std::size_t>(std::lround(100 * done)), 100);
  };
  try {
    answer.studies.push_back(forecast::study_published_method(rows, target, settings));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    answer.remarks.push_back(fmt::format("{}: {}", name_of(target), error.what()));
  }
}

ForecastAnswer answer_about(const ForecastOptions& options, const RowsRead& rows) {
  ForecastAnswer answer;
  answer.files = options.rows.files;
  answer.reading = rows.reading;
  answer.screening = rows.screening;
  answer.regions = rows.table.regions;
  std::set<double> sizes;
  std::set<forecast::Factors> configurations;
  for (const forecast::Configuration& where : forecast::configurations_of(rows.table)) {
    sizes.insert(where.size);
    forecast::Factors but_size = forecast::factors_of(where);
    but_size[forecast::kSize] = 1;
    configurations.insert(but_size);
    const forecast::Factors& first = *configurations.begin();
    answer.layouts = answer.layouts || first[forecast::kNodes] != but_size[forecast::kNodes] ||
                     first[forecast::kPackages] != but_size[forecast::kPackages];
  }
  answer.sizes = sizes.size();
  answer.configurations = configurations.size();
  answer.known = {.size = rows.table.find(forecast::ColumnRole::size) != nullptr,
                  .frequency = rows.table.find(forecast::ColumnRole::frequency) != nullptr,
                  .nodes = has_nodes(rows.table),
                  .packages = rows.table.find(forecast::ColumnRole::packages) != nullptr};
  return answer;
}

// Names the columns that can predict nothing, since nobody knows them before a run.
void name_unused_variables(const forecast::MeasurementTable& rows, ForecastAnswer& answer) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const forecast::MeasuredColumn& column : rows.columns)
    if (column.role == forecast::ColumnRole::variable) {
      if (names.size() < kMost)
        names.push_back(fmt::format("\"{}\"", shortened(column.name)));
      else
        ++more;
    }
  if (names.empty()) return;
  answer.reading.remarks.push_back(
      fmt::format("Not used (not known before a run): {}{}.", fmt::join(names, ", "),
                  more > 0 ? fmt::format(" and {} more columns", more) : ""));
}

void predict(const std::vector<AskedConfiguration>& asked, const forecast::MeasurementTable& rows,
             ForecastAnswer& answer) {
  std::vector<forecast::Configuration> wanted;
  for (const AskedConfiguration& configuration : asked)
    wanted.push_back(completed(configuration, rows));
  name_unused_variables(rows, answer);
  render::StepProgress progress("Ctrl-C stops it");
  progress.begin("learning from what was measured");
  const forecast::ProgramForecast program = forecast::ProgramForecast::learn(rows);
  for (const forecast::Configuration& where : wanted) answer.forecasts.push_back(program.at(where));
  answer.next = forecast::next_measurements(program, wanted);
  answer.remarks = program.remarks();
}

void run_forecast(const ForecastOptions& options) {
  if (!options.rows.files.empty() && options.rows.files[0] == "best")
    throw UsageError(
        "huddle forecast best is gone: ask for configurations by --at, as many as you like");
  std::vector<AskedConfiguration> asked;
  for (const std::string& text : options.at) asked.push_back(parse_configuration(text));
  const forecast::MethodSettings settings = method_settings(options);
  const RowsRead rows =
      read_rows(options.rows, asked.empty() ? RowsFor::regions : RowsFor::program);
  const std::vector<forecast::ColumnRole> targets = targets_of(options, rows.table);
  ForecastAnswer answer = answer_about(options, rows);
  if (!asked.empty())
    predict(asked, rows.table, answer);
  else
    for (const forecast::ColumnRole target : targets) study(rows.table, target, settings, answer);
  render::put_out(options.json ? forecast_json(answer) : forecast_text(answer));
}

void declare_method_options(cli::App& command, ForecastOptions& options) {
  command
      .add_option("--keep-variable", options.keep,
                  "a variable, by its name, that the published method goes on with instead of "
                  "the three that it finds; may be given several times")
      ->expected(1)
      ->take_all();
  command
      .add_option("--r2", options.r2,
                  "the R^2 that the fewest rows that suffice must reach in cross-validation")
      ->value("SHARE")
      ->capture_default_str();
}

}  // namespace

void add_forecast_command(cli::App& app) {
  auto options = std::make_shared<ForecastOptions>();
  cli::App* command = app.add_subcommand(
      "forecast",
      "Predict time and energy on sizes and configurations that were not run, from measured rows: "
      "how few rows suffice, what is predicted with intervals, and what to measure next");
  options->rows.add_to(*command);
  command->add_option("--target", options->target, "what to predict: energy, time or both")
      ->check(cli::IsMember({"energy", "time", "both"}))
      ->capture_default_str();
  command
      ->add_option(
          "--at", options->at,
          "only predict this configuration of the whole program: "
          "size=N,processes=P,threads=T,frequency=2.7GHz,nodes=M,packages=K; what all rows "
          "have the same may be left away. May be given several times")
      ->expected(1)
      ->take_all();
  declare_method_options(*command, *options);
  command->add_flag("--json", options->json, "all of it, as JSON");
  add_forecast_collect(*command);
  command->add_example("huddle forecast rows.csv --at size=65536,processes=4,threads=16");
  command->add_example("huddle forecast rows.csv --target energy --r2 98%");
  command->callback([options, command] {
    if (!command->subcommand_parsed()) run_forecast(*options);
  });
}

}  // namespace huddle::cli
