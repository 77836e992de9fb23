#include "aggregator/forecast/toep/published_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "aggregator/forecast/forest/linear_model.hpp"
#include "aggregator/forecast/toep/detail/variables.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::forecast {
namespace {

// The six samplings: one row in so many, fewest rows first.
constexpr std::array<std::uint32_t, 6> kSamplings = {2000, 1000, 100, 10, 4, 3};
// With fewer rows there is nothing to learn: two leaves of a tree.
constexpr std::size_t kLeastTrainingRows = 10;
// Folds of cross-validation, and the most training rows for which forests are grown anew.
constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostRefitted = 3000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// The sampling on which all variables are compared with those kept: 1/10, since all of them on 1/3
// take longer than the six samplings together, with the same result.
constexpr std::size_t kCompared = 3;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// Reports progress; a step is as much work as it has numbers to look at.
class Steps {
 public:
  Steps(const MethodSettings& settings, double all) : settings_(settings), all_(all) {}
  void done(double step) {
    done_ += step;
    if (settings_.progress) settings_.progress(std::min(1.0, done_ / all_));
  }

 private:
  const MethodSettings& settings_;
  double all_;
  double done_ = 0;
};

std::vector<double> picked(const std::vector<double>& values,
                           const std::vector<std::uint32_t>& rows) {
  std::vector<double> some;
  some.reserve(rows.size());
  for (const std::uint32_t row : rows) some.push_back(values[row]);
  return some;
}

// True if every n-th of so many rows are enough to learn from.
bool is_possible(std::size_t rows, std::uint32_t one_in) {
  return (rows + one_in - 1) / one_in >= kLeastTrainingRows;
}

// Rows 0, n, 2n, ... of sorted ones, and the others, which test what was learnt.
struct SampledRows {
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> test;
};

SampledRows sampled_rows(std::size_t rows, std::uint32_t one_in) {
  SampledRows split;
  for (std::size_t row = 0; row < rows; ++row)
    (row % one_in == 0 ? split.training : split.test).push_back(static_cast<std::uint32_t>(row));
  return split;
}

// R^2 of `forest`, of 1, as far as its training `rows` show it. Up to 3,000 of them: of five parts,
// each is predicted by a forest grown on the other four; every fifth row is of one part. With more
// rows: out of bag, which comes to the same then and costs nothing.
double cross_validated_r2(const FeatureMatrix& features, std::span<const double> values,
                          const std::vector<std::uint32_t>& rows, const Forest& forest,
                          const ForestSettings& settings) {
  if (rows.size() > kMostRefitted) return forest.out_of_bag_r2();
  std::vector<double> measured;
  std::vector<double> predicted;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::uint32_t> seen;
    std::vector<std::uint32_t> unseen;
    for (std::size_t i = 0; i < rows.size(); ++i)
      (i % kFolds == fold ? unseen : seen).push_back(rows[i]);
    const std::vector<double> part =
        Forest::grow(features, values, seen, settings).predict(features, unseen, settings.threads);
    predicted.insert(predicted.end(), part.begin(), part.end());
    for (const std::uint32_t row : unseen) measured.push_back(values[row]);
  }
  return r_squared(measured, predicted);
}

// The rows of a study, its settings and what was found so far.
class Study {
 public:
  Study(const MeasurementTable& table, ColumnRole target, const MethodSettings& settings)
      : settings_(settings), rows_(shaped(table, target)) {
    found_.target = target;
    found_.asked_r2 = settings.asked_r2;
    found_.remarks = rows_.remarks;
  }

  MethodStudy made() {
    const Stopwatch watch;
    const std::size_t all = rows_.values.size();
    if (!is_possible(all, kSamplings.back()))
      throw Error(fmt::format(
          "{} too few for the published method: it needs {}, to learn from a third",
          pluralize(all, "row is", "rows are"), (kLeastTrainingRows - 1) * kSamplings.back() + 1));
    const auto width = static_cast<double>(rows_.variables.size());
    Steps steps(settings_, (7 + width) * static_cast<double>(all));
    found_.importance = importance_of(rows_, settings_);
    steps.done(width / 2 * static_cast<double>(all));
    found_.compared = is_possible(all, kSamplings[kCompared]) ? kCompared : kSamplings.size() - 1;
    found_.all_variables_r2 = r2_of_all(sampled_rows(all, kSamplings[found_.compared]));
    steps.done((1 + width / 2) * static_cast<double>(all));
    kept_ = features_of(rows_, kept_variables(rows_, found_.importance));
    for (const std::uint32_t one_in : kSamplings) {
      iterate(one_in);
      steps.done(static_cast<double>(all));
    }
    found_.kept_variables_r2 = found_.samplings[found_.compared].r2;
    found_.seconds = watch.seconds();
    return std::move(found_);
  }

 private:
  ForestSettings forest_for(const SampledRows& split, const FeatureMatrix& features) const {
    return method_forest(settings_, split.training.size(), features.features());
  }

  // The paper's method 1.
  double r2_of_all(const SampledRows& split) const {
    const Forest forest = Forest::grow(rows_.features, rows_.values, split.training,
                                       forest_for(split, rows_.features));
    return r_squared(picked(rows_.values, split.test),
                     forest.predict(rows_.features, split.test, settings_.threads));
  }

  // One of methods 3 to 8; the threshold rises if its Selection is the best so far.
  void iterate(std::uint32_t one_in) {
    const SampledRows split = sampled_rows(rows_.values.size(), one_in);
    SamplingResult result;
    result.name = fmt::format("1/{}", one_in);
    result.one_in = one_in;
    result.training_rows = split.training.size();
    result.test_rows = split.test.size();
    result.possible = is_possible(rows_.values.size(), one_in);
    if (result.possible) {
      measure(split, result);
      if (result.selection > threshold_ || threshold_ == 0) {
        threshold_ = std::max(threshold_, result.selection);
        found_.elected = found_.samplings.size();
      }
      if (!found_.fewest && result.cross_validated_r2 >= settings_.asked_r2)
        found_.fewest = found_.samplings.size();
    } else {
      result.r2 = result.linear_r2 = result.seconds = result.linear_seconds = kNan;
      result.selection = result.cross_validated_r2 = kNan;
    }
    found_.samplings.push_back(std::move(result));
  }

  void measure(const SampledRows& split, SamplingResult& result) const {
    const std::vector<double> measured = picked(rows_.values, split.test);
    const Stopwatch linear_watch;
    const LinearModel line = LinearModel::fit(kept_, rows_.values, split.training);
    const std::vector<double> by_line = line.predict(kept_, split.test);
    result.linear_seconds = linear_watch.seconds();
    result.linear_r2 = r_squared(measured, by_line);
    const Stopwatch watch;
    const ForestSettings growing = forest_for(split, kept_);
    const Forest forest = Forest::grow(kept_, rows_.values, split.training, growing);
    const std::vector<double> by_forest = forest.predict(kept_, split.test, settings_.threads);
    result.seconds = watch.seconds();
    result.r2 = r_squared(measured, by_forest);
    result.selection = 100 * result.r2 / result.seconds;
    result.cross_validated_r2 =
        cross_validated_r2(kept_, rows_.values, split.training, forest, growing);
  }

  const MethodSettings& settings_;
  ShapedRows rows_;
  FeatureMatrix kept_;
  MethodStudy found_;
  double threshold_ = 0;
};

}  // namespace

MethodStudy study_published_method(const MeasurementTable& rows, ColumnRole target,
                                   const MethodSettings& settings) {
  return Study(rows, target, settings).made();
}

}  // namespace huddle::forecast
