#include <dlib/random_forest.h>

#include <chrono>

#include "tests/benchmark/forest_task.hpp"

namespace huddle {
namespace {

using Sample = dlib::matrix<double, 0, 1>;

Sample sample_of(const ForestTask& task, std::uint32_t row) {
  const auto features = static_cast<long>(task.features.features());
  Sample sample(features);
  for (long f = 0; f < features; ++f)
    sample(f) = task.features.at(row, static_cast<std::size_t>(f));
  return sample;
}

}  // namespace

const bool kHaveDlib = true;

ForestRun run_dlib(const ForestTask& task) {
  using Clock = std::chrono::steady_clock;
  ForestRun run;
  const auto begin = Clock::now();
  std::vector<Sample> training;
  std::vector<double> values;
  for (const std::uint32_t row : task.training) {
    training.push_back(sample_of(task, row));
    values.push_back(task.values[row]);
  }
  dlib::random_forest_regression_trainer<dlib::dense_feature_extractor> trainer;
  trainer.set_num_trees(task.settings.trees);
  trainer.set_feature_subsampling_fraction(task.settings.features_per_split /
                                           static_cast<double>(task.features.features()));
  trainer.set_min_samples_per_leaf(task.settings.least_leaf);
  trainer.set_seed(std::to_string(task.settings.seed));
  std::vector<double> out_of_bag;
  const auto forest = trainer.train(training, values, out_of_bag);
  const auto grown = Clock::now();
  for (const std::uint32_t row : task.others) run.predicted.push_back(forest(sample_of(task, row)));
  run.grow_s = std::chrono::duration<double>(grown - begin).count();
  run.predict_s = std::chrono::duration<double>(Clock::now() - grown).count();
  return run;
}

}  // namespace huddle
