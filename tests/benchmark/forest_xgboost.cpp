#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <chrono>
#include <memory>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/forest_task.hpp"

namespace huddle {
namespace {

void demand(int result) {
  if (result != 0) throw Error(fmt::format("XGBoost: {}", XGBGetLastError()));
}

struct MatrixFree {
  void operator()(void* matrix) const { XGDMatrixFree(matrix); }
};
struct BoosterFree {
  void operator()(void* booster) const { XGBoosterFree(booster); }
};
using Matrix = std::unique_ptr<void, MatrixFree>;
using Booster = std::unique_ptr<void, BoosterFree>;

Matrix matrix_of(const ForestTask& task, const std::vector<std::uint32_t>& rows) {
  const std::size_t features = task.features.features();
  std::vector<float> numbers;
  std::vector<float> values;
  for (const std::uint32_t row : rows) {
    for (std::size_t f = 0; f < features; ++f)
      numbers.push_back(static_cast<float>(task.features.at(row, f)));
    values.push_back(static_cast<float>(task.values[row]));
  }
  DMatrixHandle handle = nullptr;
  demand(XGDMatrixCreateFromMat(numbers.data(), rows.size(), features, -1e30F, &handle));
  Matrix matrix(handle);
  demand(XGDMatrixSetFloatInfo(handle, "label", values.data(), values.size()));
  return matrix;
}

// As random forests are to be grown by XGBoost's documentation: one round of many trees, without
// shrinking. Rows can't be drawn with replacement; the share is that of different rows in a draw.
void set_parameters(const ForestTask& task, const char* tree_method, BoosterHandle booster) {
  const forecast::ForestSettings& settings = task.settings;
  const double share = settings.features_per_split / static_cast<double>(task.features.features());
  // "exact" wants a limit.
  const std::uint32_t depth = settings.most_depth > 0 ? settings.most_depth : 64;
  const std::pair<const char*, std::string> parameters[] = {
      {"booster", "gbtree"},
      {"objective", "reg:squarederror"},
      {"tree_method", tree_method},
      {"num_parallel_tree", std::to_string(settings.trees)},
      {"subsample", "0.632"},
      {"colsample_bynode", fmt::format("{:.4f}", share)},
      {"learning_rate", "1"},
      {"reg_lambda", "0"},
      {"max_depth", std::to_string(depth)},
      {"min_child_weight", std::to_string(settings.least_leaf)},
      {"nthread", std::to_string(settings.threads)},
      {"seed", std::to_string(settings.seed)},
      {"verbosity", "0"}};
  for (const auto& [name, value] : parameters)
    demand(XGBoosterSetParam(booster, name, value.c_str()));
}

}  // namespace

const bool kHaveXgboost = true;

ForestRun run_xgboost(const ForestTask& task, const char* tree_method) {
  using Clock = std::chrono::steady_clock;
  ForestRun run;
  const auto begin = Clock::now();
  const Matrix training = matrix_of(task, task.training);
  BoosterHandle handle = nullptr;
  DMatrixHandle cached[] = {training.get()};
  demand(XGBoosterCreate(cached, 1, &handle));
  const Booster booster(handle);
  set_parameters(task, tree_method, handle);
  demand(XGBoosterUpdateOneIter(handle, 0, training.get()));
  const auto grown = Clock::now();
  const Matrix others = matrix_of(task, task.others);
  const std::uint64_t* shape = nullptr;
  std::uint64_t dimensions = 0;
  const float* predicted = nullptr;
  demand(XGBoosterPredictFromDMatrix(handle, others.get(),
                                     R"({"type": 0, "training": false, "iteration_begin": 0,
                                         "iteration_end": 0, "strict_shape": false})",
                                     &shape, &dimensions, &predicted));
  run.predicted.assign(predicted, predicted + task.others.size());
  run.grow_s = std::chrono::duration<double>(grown - begin).count();
  run.predict_s = std::chrono::duration<double>(Clock::now() - grown).count();
  return run;
}

}  // namespace huddle
