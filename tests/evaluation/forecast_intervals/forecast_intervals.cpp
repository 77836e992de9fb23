// Shows how many further measurements lie in the intervals of a program's forecast, on generated
// programs with known laws: tests/evaluation/intervals.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/parallel.hpp"
#include "tests/evaluation/forecast_intervals/interval_study.hpp"

namespace {

using namespace huddle;
using namespace huddle::evaluation;

struct Options {
  std::uint64_t seeds = 10;
  std::uint64_t first_seed = 1;
  std::vector<std::size_t> values = {2, 3, 4, 5, 6, 8, 12};
  unsigned threads = 0;
  bool each = false;
};

// A program, measured at so many values.
struct Case {
  const ProgramKind* kind = nullptr;
  std::size_t values = 0;
  std::uint64_t seed = 0;
  std::array<std::vector<JudgedForecast>, kAsked.size()> judged;
};

std::vector<Case> judged_cases(const Options& options) {
  std::vector<Case> cases;
  for (const ProgramKind& kind : program_kinds())
    for (const std::size_t values : options.values)
      for (std::uint64_t i = 0; i < options.seeds; ++i)
        cases.push_back({&kind, values, options.first_seed + i, {}});
  const unsigned threads =
      options.threads > 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
  for_each_index(threads, cases.size(), [&](std::size_t i) {
    cases[i].judged = judged_forecasts(*cases[i].kind, cases[i].values, cases[i].seed);
  });
  return cases;
}

std::vector<std::string> cells_of(const std::vector<const Case*>& cases, std::size_t asked) {
  double held = 0;
  std::vector<double> widths;
  std::vector<double> errors;
  for (const Case* one : cases)
    for (const JudgedForecast& forecast : one->judged[asked]) {
      held += forecast.held;
      widths.push_back(std::expm1(forecast.half_width));
      errors.push_back(forecast.error);
    }
  if (errors.empty()) return {"-", "-", "-"};
  held /= static_cast<double>(errors.size());
  return {fmt::format("{:.1f}", 100 * held),
          fmt::format("{:.1f}", 100 * forecast::median_of(widths)),
          fmt::format("{:.2f}", 100 * forecast::median_of(errors))};
}

class Summary {
 public:
  Summary()
      : table_({{"", render::Table::Align::kLeft},
                {"between: held %"},
                {"width %"},
                {"error %"},
                {"x 2: held %"},
                {"width %"},
                {"error %"},
                {"x 4: held %"},
                {"width %"},
                {"error %"}}) {}

  template <typename Wanted>
  void add(const std::string& name, const std::vector<Case>& cases, const Wanted& wanted) {
    std::vector<const Case*> some;
    for (const Case& one : cases)
      if (wanted(one)) some.push_back(&one);
    std::vector<std::string> row = {name};
    for (std::size_t asked = 0; asked < kAsked.size(); ++asked)
      for (std::string& cell : cells_of(some, asked)) row.push_back(std::move(cell));
    table_.add(std::move(row));
  }

  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  render::Table table_;
};

// True if each kind was asked, and forecasts are numbers: how good they are is for people to read.
bool makes_sense(const std::vector<Case>& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const Case& one) {
    return std::all_of(one.judged.begin() + 1, one.judged.end(), [](const auto& forecasts) {
      return !forecasts.empty() &&
             std::all_of(forecasts.begin(), forecasts.end(),
                         [](const JudgedForecast& judged) { return std::isfinite(judged.error); });
    });
  });
}

int run(const Options& options) {
  const std::vector<Case> cases = judged_cases(options);
  Summary summary;
  for (const ProgramKind& kind : program_kinds())
    summary.add(kind.name, cases, [&](const Case& one) { return one.kind == &kind; });
  for (const std::size_t values : options.values)
    summary.add(fmt::format("{} values", values), cases,
                [&](const Case& one) { return one.values == values; });
  if (options.each)
    for (const ProgramKind& kind : program_kinds())
      for (const std::size_t values : options.values)
        summary.add(fmt::format("{}, {} values", kind.name, values), cases,
                    [&](const Case& one) { return one.kind == &kind && one.values == values; });
  summary.add("all", cases, [](const Case&) { return true; });
  fmt::print(
      "{}held: of 20 further measurements at each place asked for. width: how much more than the "
      "middle the upper end is, median. error: of the value predicted against the law, median.\n",
      summary.text());
  return makes_sense(cases) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How many further measurements the 90 % intervals of a program's forecast hold"};
  Options options;
  app.add_option("--seeds", options.seeds, "programs of each kind and number of values")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--first-seed", options.first_seed,
                 "which programs are drawn: others than those that were looked at while the "
                 "intervals were made")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--values", options.values, "how many values of the factor are measured")
      ->check(CLI::Range(2, 20))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "default: one for each processor");
  app.add_flag("--each", options.each, "a line for each kind and number of values, too");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "forecast_intervals: {}\n", error.what());
    return 1;
  }
}
