#include "tests/benchmark/forest_task.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include "aggregator/forecast/forest/random_stream.hpp"

namespace huddle {
namespace {

constexpr std::size_t kFeatures = 9;
constexpr std::uint32_t kSizes = 1017;

struct Row {
  std::array<double, kFeatures> features;
  double energy;
};

class Numbers {
 public:
  double even() { return static_cast<double>(stream_.next() >> 11U) * 0x1p-53; }
  // 1, give or take this share.
  double noise(double share) {
    const double radius = std::sqrt(-2 * std::log(1 - even()));
    return std::exp(share * radius * std::cos(2 * std::numbers::pi * even()));
  }
  std::uint32_t below(std::uint32_t count) { return stream_.below(count); }

 private:
  forecast::RandomStream stream_{20170905};
};

// Half of the rows have 32 threads, a quarter 16, and so on.
double draw_threads(Numbers& random) {
  double threads = 32;
  while (threads > 1 && random.below(2) == 0) threads /= 2;
  return threads;
}

Row make_row(Numbers& random, bool outliers) {
  const double size = 1024 + 127.0 * random.below(kSizes);
  const double threads = draw_threads(random);
  const double share = 0.2 + random.even();  // of the region in the work
  const double work = share * std::pow(size, 1.4);
  const double misses = 3 * share * size * std::log2(size) * random.noise(0.05);
  const double time = work / threads * (1 + 0.03 * threads) * random.noise(0.03);
  const double outlier = random.below(1000) == 0 && outliers ? 3 : 1;
  const double energy = outlier * (time * (60 + 9 * threads) + 4 * misses) * random.noise(0.04);
  return {{misses, size, time, time * random.noise(0.1), std::floor(1 + 40 * random.even()),
           work * random.noise(0.2), misses * random.noise(0.3), 5 * work * random.noise(0.05),
           work * random.noise(0.6)},
          energy};
}

}  // namespace

ForestTask make_forest_task(std::uint32_t rows, std::uint32_t features, std::uint32_t one_in,
                            bool outliers) {
  Numbers random;
  std::vector<Row> made(rows);
  for (Row& row : made) row = make_row(random, outliers);
  std::stable_sort(made.begin(), made.end(),
                   [](const Row& a, const Row& b) { return a.energy > b.energy; });
  ForestTask task{
      forecast::FeatureMatrix(rows, std::min<std::size_t>(features, kFeatures)), {}, {}, {}, {}};
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t f = 0; f < task.features.features(); ++f)
      task.features.feature(f)[row] = made[row].features[f];
    task.values.push_back(made[row].energy);
    (row % one_in == 0 ? task.training : task.others).push_back(row);
  }
  return task;
}

ForestRun run_own_forest(const ForestTask& task) {
  using Clock = std::chrono::steady_clock;
  ForestRun run;
  const auto begin = Clock::now();
  const forecast::Forest forest =
      forecast::Forest::grow(task.features, task.values, task.training, task.settings);
  const auto grown = Clock::now();
  run.predicted = forest.predict(task.features, task.others, task.settings.threads);
  run.grow_s = std::chrono::duration<double>(grown - begin).count();
  run.predict_s = std::chrono::duration<double>(Clock::now() - grown).count();
  return run;
}

}  // namespace huddle
