#include "aggregator/forecast/forest/forest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "aggregator/forecast/forest/detail/out_of_bag.hpp"
#include "aggregator/forecast/forest/detail/training_rows.hpp"
#include "aggregator/forecast/forest/detail/tree.hpp"
#include "aggregator/forecast/forest/detail/tree_growing.hpp"
#include "aggregator/forecast/forest/linear_model.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::forecast {

struct Forest::Grown {
  std::vector<GrownTree> trees;
  std::vector<std::uint32_t> row;  // of the matrix, by place
  std::size_t features = 0;
  std::uint64_t seed = 0;
  double centre = 0;
  double scale = 1;
  std::vector<double> out_of_bag;
  double out_of_bag_r2 = 0;

  [[nodiscard]] double value_of(double said) const { return (said + centre / scale) * scale; }
  void check(const FeatureMatrix& matrix) const {
    if (matrix.features() != features)
      throw Error(fmt::format("a forest grown on {} features can't predict rows of {}", features,
                              matrix.features()));
  }
};

namespace {

unsigned thread_count(std::uint32_t asked) {
  return asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

TreeSettings tree_settings(const ForestSettings& settings, std::size_t features) {
  if (settings.trees == 0) throw Error("a forest can't be grown of 0 trees; at least 1 is needed");
  if (settings.features_per_split > features)
    throw Error(
        fmt::format("a forest can't be grown: {} features for each split were asked for, "
                    "there are {}",
                    settings.features_per_split, features));
  TreeSettings made;
  made.features_per_split =
      settings.features_per_split > 0
          ? settings.features_per_split
          : static_cast<std::uint32_t>(std::max<std::size_t>(1, features / 3));
  made.least_leaf = std::max(1U, settings.least_leaf);
  made.most_depth =
      settings.most_depth > 0 ? settings.most_depth : std::numeric_limits<std::uint32_t>::max();
  return made;
}

std::vector<GrownTree> grow_trees(const TrainingRows& rows, const TreeSettings& settings,
                                  const ForestSettings& forest, unsigned threads) {
  std::vector<GrownTree> trees(forest.trees);
  std::atomic<std::uint32_t> next{0};
  threads = std::min(threads, forest.trees);
  for_each_index(threads, threads, [&](std::size_t) {
    TreeGrower grower(rows, settings);
    std::vector<std::uint16_t> times;
    for (std::uint32_t tree = next++; tree < forest.trees; tree = next++) {
      const TreeKeys keys = TreeKeys::of(forest.seed, tree);
      draw_rows(keys.draw, static_cast<std::uint32_t>(rows.size()), times);
      trees[tree] = {grower.grow(times, keys.root), DrawnRows(times)};
    }
  });
  return trees;
}

// R^2 of the rows that some tree did not see.
double unseen_r2(const std::vector<UnseenRow>& unseen, const std::vector<double>& value) {
  std::vector<double> values;
  std::vector<double> means;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (unseen[i].trees == 0) continue;
    values.push_back(value[i]);
    means.push_back(unseen[i].mean);
  }
  return r_squared(values, means);
}

// Calls use(sums, first) for each block of rows, with all trees added up for its rows.
template <typename Use>
void sum_trees(const std::vector<GrownTree>& trees, const FeatureMatrix& features,
               const std::vector<std::uint32_t>& rows, unsigned threads, const Use& use) {
  const std::size_t size = RowBlock::good_size(features.features());
  for_each_index(threads, (rows.size() + size - 1) / size, [&](std::size_t index) {
    const std::size_t first = index * size;
    const std::size_t count = std::min(size, rows.size() - first);
    const RowBlock block(features, std::span(rows).subspan(first, count));
    TreeSums sums(count);
    std::vector<double> said(count);
    for (const GrownTree& grown : trees) {
      walk_tree(grown.tree, block, said);
      for (std::size_t i = 0; i < count; ++i) sums.add(i, said[i]);
    }
    use(sums, first, count);
  });
}

}  // namespace

Forest Forest::grow(const FeatureMatrix& features, std::span<const double> values,
                    std::span<const std::uint32_t> rows, const ForestSettings& settings) {
  const unsigned threads = thread_count(settings.threads);
  TrainingRows training = TrainingRows::make(features, values, rows, threads);
  auto grown = std::make_shared<Grown>();
  grown->trees =
      grow_trees(training, tree_settings(settings, features.features()), settings, threads);
  const std::vector<UnseenRow> unseen = unseen_rows(grown->trees, training, features, threads);
  grown->features = features.features();
  grown->seed = settings.seed;
  grown->centre = training.centre;
  grown->scale = training.scale;
  grown->out_of_bag.assign(training.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t place = 0; place < training.size(); ++place)
    if (unseen[place].trees > 0)
      grown->out_of_bag[training.given[place]] = grown->value_of(unseen[place].mean);
  grown->out_of_bag_r2 = unseen_r2(unseen, training.value);
  grown->row = std::move(training.row);
  return Forest(std::move(grown));
}

std::vector<double> Forest::predict(const FeatureMatrix& features,
                                    std::span<const std::uint32_t> rows,
                                    std::uint32_t threads) const {
  grown_->check(features);
  const std::vector<std::uint32_t> listed = listed_rows(rows, features.rows());
  std::vector<double> predicted(listed.size());
  sum_trees(grown_->trees, features, listed, thread_count(threads),
            [&](const TreeSums& sums, std::size_t first, std::size_t count) {
              for (std::size_t i = 0; i < count; ++i)
                predicted[first + i] = grown_->value_of(sums.mean(i));
            });
  return predicted;
}

const std::vector<double>& Forest::out_of_bag() const {
  return grown_->out_of_bag;
}
double Forest::out_of_bag_r2() const {
  return grown_->out_of_bag_r2;
}

std::vector<double> Forest::permutation_importance(const FeatureMatrix& features,
                                                   std::span<const double> values,
                                                   std::uint32_t threads) const {
  grown_->check(features);
  std::vector<double> value(grown_->row.size());
  for (std::size_t place = 0; place < value.size(); ++place)
    value[place] = values[grown_->row[place]] / grown_->scale - grown_->centre / grown_->scale;
  const PermutedErrors errors = permuted_errors(grown_->trees, grown_->row, value, features,
                                                grown_->seed, thread_count(threads));
  std::vector<double> importance(features.features());
  // Values lie within -1 .. 1, so an error below this is one of rounding.
  const double before = std::max(errors.before, 1e-24 * static_cast<double>(grown_->trees.size()));
  for (std::size_t feature = 0; feature < importance.size(); ++feature)
    importance[feature] = (errors.after[feature] - errors.before) / before;
  return importance;
}

}  // namespace huddle::forecast
