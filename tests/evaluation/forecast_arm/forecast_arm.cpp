// Shows how well the forecast does on measured programs: seven of them on 1 to 48 cores. Each
// second core count is held out, once the even ones and once the odd ones; time and energy of those
// are predicted from the others, and the core count of least energy is chosen among all.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/vocabulary/error.hpp"

namespace {

using namespace huddle;

struct Halves {
  forecast::MeasurementTable training;
  std::vector<std::size_t> held_out;  // rows of the whole
};

struct Outcome {
  double time_error = 0;
  double energy_error = 0;
  double time_covered = 0;
  double energy_covered = 0;
  double chosen = 0;
  double best = 0;
  double above_best = 0;
};

Halves halved(const forecast::MeasurementTable& table, const forecast::MeasuredColumn& cores,
              bool even_held_out) {
  Halves halves{table, {}};
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool even = std::fmod(cores.values[row], 2) == 0;
    (even == even_held_out ? halves.held_out : kept).push_back(row);
  }
  halves.training.keep(kept);
  return halves;
}

// The larger half of the core counts is held out.
Halves upper_half_out(const forecast::MeasurementTable& table,
                      const forecast::MeasuredColumn& cores) {
  Halves halves{table, {}};
  const double most = *std::ranges::max_element(cores.values);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < table.rows(); ++row)
    (cores.values[row] > most / 2 ? halves.held_out : kept).push_back(row);
  halves.training.keep(kept);
  return halves;
}

bool holds(const forecast::Estimate& estimate, double value) {
  return estimate.low <= value && value <= estimate.high;
}

Outcome judge(const forecast::MeasurementTable& table, const Halves& halves) {
  const std::vector<double>& cores = table.find(forecast::ColumnRole::threads)->values;
  const std::vector<double>& time = table.find(forecast::ColumnRole::time)->values;
  const std::vector<double>& energy = table.find(forecast::ColumnRole::energy)->values;
  const forecast::MeasuredColumn* frequency = table.find(forecast::ColumnRole::frequency);
  const forecast::ProgramForecast forecast = forecast::ProgramForecast::learn(halves.training);
  const auto at = [&](std::size_t row) {
    forecast::Configuration where;
    where.threads = cores[row];
    if (frequency != nullptr) where.frequency_ghz = frequency->values[row];
    return forecast.at(where);
  };
  Outcome outcome;
  std::vector<double> time_errors;
  std::vector<double> energy_errors;
  const auto count = static_cast<double>(halves.held_out.size());
  for (const std::size_t row : halves.held_out) {
    const forecast::ForecastAt predicted = at(row);
    time_errors.push_back(std::abs(predicted.time_s->value / time[row] - 1));
    energy_errors.push_back(std::abs(predicted.energy_j->value / energy[row] - 1));
    outcome.time_covered += holds(*predicted.time_s, time[row]) / count;
    outcome.energy_covered += holds(*predicted.energy_j, energy[row]) / count;
  }
  outcome.time_error = forecast::median_of(time_errors);
  outcome.energy_error = forecast::median_of(energy_errors);
  std::size_t chosen = 0;
  for (std::size_t row = 1; row < table.rows(); ++row)
    if (at(row).energy_j->value < at(chosen).energy_j->value) chosen = row;
  const auto best = std::min_element(energy.begin(), energy.end());
  outcome.chosen = cores[chosen];
  outcome.best = cores[static_cast<std::size_t>(best - energy.begin())];
  outcome.above_best = energy[chosen] / *best - 1;
  return outcome;
}

forecast::MeasurementTable read_program(const std::filesystem::path& file) {
  forecast::MeasurementCsvOptions options;
  options.columns["threads"] = {"Cores"};
  options.columns["energy"] = {"Energy[J]"};
  forecast::MeasurementReading reading;
  forecast::MeasurementTable table = forecast::read_measurements({file}, options, reading);
  for (const forecast::ColumnRole role :
       {forecast::ColumnRole::threads, forecast::ColumnRole::time, forecast::ColumnRole::energy})
    if (table.find(role) == nullptr)
      throw Error(fmt::format("{}: no column of {}", file.string(), name_of(role)));
  return table;
}

bool run(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(fmt::format("{}: there is no .csv file", folder.string()));
  bool good = true;
  fmt::print(
      "| program | held out | time: median error | in interval | energy: median error | in "
      "interval "
      "| chosen cores | best | above least energy |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const std::filesystem::path& file : files) {
    const forecast::MeasurementTable table = read_program(file);
    for (const bool even : {true, false}) {
      const Outcome outcome =
          judge(table, halved(table, *table.find(forecast::ColumnRole::threads), even));
      fmt::print("| {} | {} | {:.2f} % | {:.0f} % | {:.2f} % | {:.0f} % | {} | {} | {:.2f} % |\n",
                 file.stem().string(), even ? "even" : "odd", 100 * outcome.time_error,
                 100 * outcome.time_covered, 100 * outcome.energy_error,
                 100 * outcome.energy_covered, outcome.chosen, outcome.best,
                 100 * outcome.above_best);
      good = good && outcome.time_error <= 0.05 && outcome.energy_error <= 0.05 &&
             outcome.above_best <= 0.02;
    }
  }
  return good;
}

// Beyond the cores that were measured values can only be guessed: what counts is that intervals
// hold them.
bool run_beyond(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::ranges::sort(files);
  double time = 0;
  double energy = 0;
  for (const std::filesystem::path& file : files) {
    const forecast::MeasurementTable table = read_program(file);
    const Outcome outcome =
        judge(table, upper_half_out(table, *table.find(forecast::ColumnRole::threads)));
    fmt::print("| {} | upper half | {:.2f} % | {:.0f} % | {:.2f} % | {:.0f} % |  |  |  |\n",
               file.stem().string(), 100 * outcome.time_error, 100 * outcome.time_covered,
               100 * outcome.energy_error, 100 * outcome.energy_covered);
    time += outcome.time_covered / static_cast<double>(files.size());
    energy += outcome.energy_covered / static_cast<double>(files.size());
  }
  fmt::print(
      "Beyond half of the cores {:.0f} % of the times and {:.0f} % of the energies are in "
      "their intervals.\n",
      100 * time, 100 * energy);
  return time >= 0.85 && energy >= 0.85;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "How well time and energy of measured programs are predicted on core counts that are held "
      "out. "
      "Ends with 1 if an error between others is above 5 %, the chosen core count takes 2 % more "
      "energy "
      "than the best, or intervals beyond half of the cores hold less than 85 %");
  std::string folder;
  app.add_option("FOLDER", folder, "CSV files of programs, with Cores, Time[s] and Energy[J]")
      ->required()
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    const bool between = run(folder);
    return run_beyond(folder) && between ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "forecast_arm: {}\n", error.what());
    return 2;
  }
}
