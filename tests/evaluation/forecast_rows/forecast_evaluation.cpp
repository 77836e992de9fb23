// The published method on generated rows of the paper's shape, beside what the law itself could do:
// tests/evaluation/forecast.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/forecast/forest/linear_model.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "aggregator/render/table.hpp"
#include "tests/evaluation/forecast_rows/generated_rows.hpp"

namespace {

using namespace huddle;
using namespace huddle::evaluation;

struct Options {
  std::uint64_t seed = 1;
  std::uint32_t trees = 100;
  std::uint32_t threads = 0;
  std::uint32_t each_nth_size = 1;
  double noise = 1;
  std::string write;
};

// The results of each program that the paper's figures 5 to 7 show.
struct Published {
  const char* sampling;
  double forest;
  double linear;
  double wanted;
};
constexpr std::array<Published, 3> kPublished = {
    {{"1/10", 99.01, 88.88, 99}, {"1/100", 83.3, 73.34, 90}, {"1/100", 86.17, 79.66, 90}}};

struct Outcome {
  std::string name;
  std::size_t rows = 0;
  double ceiling = 0;
  double by_law = 0;
  forecast::MethodStudy energy;
};

MeasurementNoise scaled(double factor) {
  MeasurementNoise noise;
  for (double* deviation :
       {&noise.run, &noise.run_watts, &noise.node_watts, &noise.row_watts, &noise.meter_update_s,
        &noise.instructions, &noise.simd, &noise.lines, &noise.misses, &noise.stalls,
        &noise.slow_runs, &noise.slow_threads, &noise.odd_energies})
    *deviation *= factor;
  return noise;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f}", 100 * share) : "-";
}

void print_samplings(const Outcome& outcome) {
  render::Table table({{"sampling", render::Table::Align::kLeft},
                       {"rows"},
                       {"forest %"},
                       {"linear %"},
                       {"ceiling %"},
                       {"s"},
                       {"linear s"},
                       {"Selection"},
                       {"", render::Table::Align::kLeft}});
  const forecast::MethodStudy& study = outcome.energy;
  for (std::size_t i = 0; i < study.samplings.size(); ++i) {
    const forecast::SamplingResult& sampling = study.samplings[i];
    std::string mark = i == study.elected ? "elected" : "";
    if (study.fewest == i) mark += mark.empty() ? "fewest" : ", fewest";
    table.add({sampling.name, std::to_string(sampling.training_rows), percent(sampling.r2),
               percent(sampling.linear_r2), percent(outcome.ceiling),
               fmt::format("{:.3f}", sampling.seconds),
               fmt::format("{:.3f}", sampling.linear_seconds),
               fmt::format("{:.1f}", sampling.selection), mark});
  }
  std::string kept;
  for (const forecast::VariableImportance& variable : study.importance)
    if (variable.kept) kept += (kept.empty() ? "" : ", ") + variable.variable;
  fmt::print("\n{}: {} rows, energy from {}, {:.2f} s\n{}", outcome.name, outcome.rows, kept,
             study.seconds, table.text());
}

Outcome outcome_of(const ProgramLaw& law, double wanted, const Options& options) {
  const GeneratedRows rows =
      generated_rows(law, scaled(options.noise), options.seed, options.each_nth_size);
  Outcome outcome;
  outcome.name = law.name;
  outcome.rows = rows.table.rows();
  const std::vector<double>& energy = rows.table.find(forecast::ColumnRole::energy)->values;
  outcome.ceiling = forecast::r_squared(energy, rows.without_meter);
  outcome.by_law = forecast::r_squared(energy, rows.by_law);
  forecast::MethodSettings settings;
  settings.trees = options.trees;
  settings.threads = options.threads;
  settings.seed = options.seed;
  settings.asked_r2 = wanted / 100;
  outcome.energy =
      forecast::study_published_method(rows.table, forecast::ColumnRole::energy, settings);
  if (!options.write.empty())
    forecast::write_measurements(rows.table,
                                 std::filesystem::path(options.write) / (outcome.name + ".csv"));
  return outcome;
}

// "99.58 % (93.26 %) at 1/100": of the forest, and of linear regression.
std::string text_of(const forecast::MethodStudy& study, std::size_t index) {
  const forecast::SamplingResult& sampling = study.samplings[index];
  return fmt::format("{} ({}) at {}", percent(sampling.r2), percent(sampling.linear_r2),
                     sampling.name);
}

void print_summary(const std::vector<Outcome>& outcomes) {
  constexpr render::Table::Align kLeft = render::Table::Align::kLeft;
  render::Table table({{"program", kLeft},
                       {"rows"},
                       {"ceiling"},
                       {"law alone"},
                       {"wanted"},
                       {"fewest rows for that", kLeft},
                       {"elected by Selection", kLeft},
                       {"learnt from a third", kLeft},
                       {"paper", kLeft}});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const forecast::MethodStudy& study = outcome.energy;
    table.add({outcome.name, std::to_string(outcome.rows), percent(outcome.ceiling),
               percent(outcome.by_law), fmt::format("{}", kPublished[i].wanted),
               study.fewest ? text_of(study, *study.fewest) : "none", text_of(study, study.elected),
               text_of(study, study.samplings.size() - 1),
               fmt::format("{} ({}) at {}", kPublished[i].forest, kPublished[i].linear,
                           kPublished[i].sampling)});
  }
  fmt::print(
      "\nR^2 in % of energy: forest (linear regression) at a sampling\n{}"
      "ceiling: who knows a run as it was, but not what the meter added to the row. law alone: who "
      "knows the law, but nothing of the run.\n",
      table.text());
}

// True if all is as it must be, however many rows there are: the forest beats the line where both
// have seen most, and nothing is better than the ceiling but by chance.
bool makes_sense(const std::vector<Outcome>& outcomes) {
  constexpr double kChance = 0.005;
  return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    const forecast::SamplingResult& largest = outcome.energy.samplings.back();
    return largest.r2 > largest.linear_r2 && largest.r2 <= outcome.ceiling + kChance;
  });
}

int run(const Options& options) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < program_laws().size(); ++i) {
    outcomes.push_back(outcome_of(program_laws()[i], kPublished[i].wanted, options));
    print_samplings(outcomes.back());
  }
  print_summary(outcomes);
  return makes_sense(outcomes) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The published method on generated rows of the paper's shape"};
  Options options;
  app.add_option("--seed", options.seed, "of the rows and the forests")->capture_default_str();
  app.add_option("--trees", options.trees, "of each forest")->capture_default_str();
  app.add_option("--threads", options.threads, "default: one for each processor");
  app.add_option("--each-nth-size", options.each_nth_size, "fewer rows: 1 for all sizes")
      ->check(CLI::Range(1U, 100U))
      ->capture_default_str();
  app.add_option("--noise", options.noise, "all noise and outliers so many times as usual")
      ->capture_default_str();
  app.add_option("--write", options.write, "a folder for the rows, as CSV");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "forecast_evaluation: {}\n", error.what());
    return 1;
  }
}
