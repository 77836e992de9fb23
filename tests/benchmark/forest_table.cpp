// Random forests for regression: ours and those of libraries, on the same rows with the same
// settings. tests/benchmark/forest_libraries runs it, and others that are not C++.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/forest_task.hpp"

namespace huddle {
namespace {

struct Options {
  std::uint32_t rows = 256284;
  std::uint32_t features = 3;
  std::uint32_t one_in = 3;
  std::uint32_t seeds = 1;
  forecast::ForestSettings settings;
  std::vector<std::string> engines{"own", "xgboost-exact", "xgboost-hist", "dlib"};
  bool outliers = true;
  bool same = false;
  bool heading = false;
  std::string write;
};

double r2(const ForestTask& task, const std::vector<double>& predicted) {
  double mean = 0;
  for (const std::uint32_t row : task.others)
    mean += task.values[row] / static_cast<double>(task.others.size());
  double off = 0;
  double all = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double value = task.values[task.others[i]];
    off += std::pow(predicted[i] - value, 2);
    all += std::pow(value - mean, 2);
  }
  return 1 - off / all;
}

bool have(const std::string& engine) {
  if (engine == "dlib") return kHaveDlib;
  return engine == "own" || kHaveXgboost;
}

ForestRun run(const std::string& engine, const ForestTask& task) {
  if (engine == "own") return run_own_forest(task);
  if (engine == "dlib") return run_dlib(task);
  return run_xgboost(task, engine == "xgboost-hist" ? "hist" : "exact");
}

// Says whether one thread predicts the same, to the last bit.
std::string same_on_one_thread(const std::string& engine, ForestTask task, const ForestRun& many) {
  if (engine == "dlib") return "-";  // takes no such option
  task.settings.threads = 1;
  return run(engine, task).predicted == many.predicted ? "yes" : "no";
}

// Times of the fastest run, the mean of R^2.
void print_engine(const Options& options, ForestTask task, const std::string& engine) {
  ForestRun fastest;
  double sum = 0;
  for (std::uint32_t seed = 1; seed <= options.seeds; ++seed) {
    task.settings.seed = seed;
    ForestRun done = run(engine, task);
    sum += r2(task, done.predicted);
    if (seed > 1) {
      done.grow_s = std::min(done.grow_s, fastest.grow_s);
      done.predict_s = std::min(done.predict_s, fastest.predict_s);
    }
    fastest = std::move(done);
  }
  const std::string same = options.same ? same_on_one_thread(engine, task, fastest) : "";
  fmt::print("{:<28}{:>10.3f}{:>12.3f}{:>10.3f}{:>15}\n", engine, fastest.grow_s, fastest.predict_s,
             100 * sum / options.seeds, same);
  std::fflush(stdout);
  if (engine == "own" && same == "no") throw Error("the forest is not the same on one thread");
}

void print(const Options& options, const ForestTask& task) {
  if (options.heading)
    fmt::print("{:<28}{:>10}{:>12}{:>10}{:>15}\n", "", "growing s", "predicting", "R^2 %",
               "on 1 thread");
  for (const std::string& engine : options.engines) {
    if (!have(engine)) {
      fmt::print("{:<28}is not installed\n", engine);
      continue;
    }
    print_engine(options, task, engine);
  }
}

template <typename Number>
void write_numbers(const std::filesystem::path& path, std::span<const Number> numbers) {
  std::ofstream file(path, std::ios::binary);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the other programs read it
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size_bytes()));
  if (!file.flush()) throw Error(fmt::format("{} can't be written", path.string()));
}

// For programs that are not C++: doubles feature by feature, doubles, row numbers from 0.
void write_task(const ForestTask& task, const std::filesystem::path& folder) {
  std::vector<double> numbers;
  for (std::size_t f = 0; f < task.features.features(); ++f)
    numbers.insert(numbers.end(), task.features.feature(f).begin(), task.features.feature(f).end());
  write_numbers<double>(folder / "features", numbers);
  write_numbers<double>(folder / "values", task.values);
  write_numbers<std::uint32_t>(folder / "training", task.training);
  write_numbers<std::uint32_t>(folder / "others", task.others);
}

int compare_forests(int argc, char** argv) {
  CLI::App app{"Random forests of several libraries on the same rows"};
  Options options;
  options.settings.threads = 2;
  options.settings.features_per_split = 1;
  app.add_option("--rows", options.rows, "Rows in all")->check(CLI::Range(10, 10000000));
  app.add_option("--features", options.features, "3 or 9")->check(CLI::IsMember({3, 9}));
  app.add_option("--one-in", options.one_in, "One row of so many is learnt from")
      ->check(CLI::Range(2, 1000000));
  app.add_option("--trees", options.settings.trees);
  app.add_option("--per-split", options.settings.features_per_split, "Features drawn per split");
  app.add_option("--seeds", options.seeds, "Seeds: the fastest run, the mean of R^2")
      ->check(CLI::Range(1, 1000));
  app.add_option("--leaf", options.settings.least_leaf, "Rows of a leaf at least");
  app.add_option("--threads", options.settings.threads);
  app.add_option("--engines", options.engines, "own, xgboost-exact, xgboost-hist, dlib")
      ->delimiter(',')
      ->check(CLI::IsMember({"own", "xgboost-exact", "xgboost-hist", "dlib"}));
  app.add_flag("!--no-outliers", options.outliers, "No rows that are too large");
  app.add_flag("--same", options.same, "Whether one thread gives the same");
  app.add_flag("--heading", options.heading, "Print what the columns are");
  app.add_option("--write", options.write, "Write the rows into this folder, and do nothing else")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  ForestTask task =
      make_forest_task(options.rows, options.features, options.one_in, options.outliers);
  task.settings = options.settings;
  if (!options.write.empty())
    write_task(task, options.write);
  else
    print(options, task);
  return 0;
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  try {
    return huddle::compare_forests(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "forest_table: {}\n", error.what());
    return 1;
  }
}
