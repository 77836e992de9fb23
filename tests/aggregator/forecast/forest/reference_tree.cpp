#include "tests/aggregator/forecast/forest/reference_tree.hpp"

#include <algorithm>
#include <cmath>

#include "aggregator/forecast/forest/random_stream.hpp"

namespace huddle::forecast {
namespace {

struct ReferenceSplit {
  double gain = -1;
  std::uint32_t feature = 0;
  double threshold = 0;
};

void try_feature(const FeatureMatrix& features, const std::vector<double>& values,
                 std::vector<ReferenceRow> rows, std::uint32_t feature, std::uint32_t least_leaf,
                 ReferenceSplit& best) {
  std::stable_sort(rows.begin(), rows.end(), [&](const ReferenceRow& a, const ReferenceRow& b) {
    return features.at(a.row, feature) < features.at(b.row, feature);
  });
  double all_sum = 0;
  double all_times = 0;
  for (const ReferenceRow& row : rows) {
    all_sum += values[row.row] * row.times;
    all_times += row.times;
  }
  const double mean = all_sum / all_times;
  for (std::size_t left = least_leaf; left + least_leaf <= rows.size(); ++left) {
    const double below = features.at(rows[left - 1].row, feature);
    const double above = features.at(rows[left].row, feature);
    if (below == above) continue;
    double sum = 0;
    double times = 0;
    for (std::size_t i = 0; i < left; ++i) {
      sum += values[rows[i].row] * rows[i].times;
      times += rows[i].times;
    }
    const double gain = std::pow(sum - times * mean, 2) / (times * (all_times - times));
    if (gain > best.gain) best = {gain, feature, below / 2 + above / 2};
  }
}

}  // namespace

std::unique_ptr<ReferenceNode> grow_reference(const FeatureMatrix& features,
                                              const std::vector<double>& values,
                                              const std::vector<ReferenceRow>& rows,
                                              const TreeSettings& settings, std::uint64_t key,
                                              std::uint32_t depth) {
  auto node = std::make_unique<ReferenceNode>();
  double times = 0;
  for (const ReferenceRow& row : rows) {
    node->value += values[row.row] * row.times;
    times += row.times;
  }
  node->value /= times;
  const bool same = std::all_of(rows.begin(), rows.end(), [&](const ReferenceRow& row) {
    return values[row.row] == values[rows[0].row];
  });
  if (same || depth == settings.most_depth) return node;
  ReferenceSplit best;
  std::vector<std::uint32_t> drawn;
  for (std::uint32_t f = 0; f < features.features(); ++f) drawn.push_back(f);
  RandomStream random(key);
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    std::swap(drawn[i], drawn[i + random.below(static_cast<std::uint32_t>(drawn.size()) - i)]);
    try_feature(features, values, rows, drawn[i], settings.least_leaf, best);
    if (i + 1 >= settings.features_per_split && best.gain >= 0) break;
  }
  if (best.gain < 0) return node;
  std::vector<ReferenceRow> left;
  std::vector<ReferenceRow> right;
  for (const ReferenceRow& row : rows)
    (features.at(row.row, best.feature) <= best.threshold ? left : right).push_back(row);
  node->feature = best.feature;
  node->threshold = best.threshold;
  node->left = grow_reference(features, values, left, settings, TreeKeys::left(key), depth + 1);
  node->right = grow_reference(features, values, right, settings, TreeKeys::right(key), depth + 1);
  return node;
}

}  // namespace huddle::forecast
