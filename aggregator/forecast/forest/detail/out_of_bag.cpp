#include "aggregator/forecast/forest/detail/out_of_bag.hpp"

#include <algorithm>
#include <span>

#include "aggregator/forecast/forest/detail/tree.hpp"
#include "aggregator/forecast/forest/random_stream.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::forecast {
namespace {

void fill(const std::vector<GrownTree>& trees, const TrainingRows& rows,
          const FeatureMatrix& features, std::size_t first, std::size_t count,
          std::span<UnseenRow> unseen) {
  const RowBlock block(features, std::span(rows.row).subspan(first, count));
  TreeSums sums(count);
  std::vector<std::uint32_t> which;
  std::vector<double> said;
  for (const GrownTree& grown : trees) {
    which.clear();
    for (std::uint32_t i = 0; i < count; ++i)
      if (!grown.drawn.drawn(first + i)) which.push_back(i);
    said.resize(which.size());
    walk_tree(grown.tree, block, which, said);
    for (std::size_t i = 0; i < which.size(); ++i) sums.add(which[i], said[i]);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (sums.trees(i) > 0) unseen[first + i] = {sums.trees(i), sums.mean(i)};
}

// One tree's errors.
class TreeErrors {
 public:
  TreeErrors(const GrownTree& grown, const std::vector<std::uint32_t>& rows,
             const std::vector<double>& value, const FeatureMatrix& features)
      : grown_(grown), value_(value), block_(features, unseen(rows)), used_(features.features()) {
    for (const TreeNode& node : grown.tree.nodes)
      if (node.feature < used_.size()) used_[node.feature] = true;
    said_.resize(places_.size());
    before_ = error();
  }

  [[nodiscard]] double before() const { return before_; }

  double after(std::size_t feature, std::uint64_t key) {
    if (!used_[feature] || places_.size() < 2) return before_;
    std::vector<double> kept(places_.size());
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = block_.at(i, feature);
    RandomStream random(key);
    for (auto left = static_cast<std::uint32_t>(kept.size()); left > 1; --left)
      std::swap(block_.at(left - 1, feature), block_.at(random.below(left), feature));
    const double after = error();
    for (std::size_t i = 0; i < kept.size(); ++i) block_.at(i, feature) = kept[i];
    return after;
  }

 private:
  std::vector<std::uint32_t> unseen(const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t place = 0; place < rows.size(); ++place) {
      if (grown_.drawn.drawn(place)) continue;
      places_.push_back(place);
      found.push_back(rows[place]);
    }
    return found;
  }

  double error() {
    walk_tree(grown_.tree, block_, said_);
    double sum = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const double off = said_[i] - value_[places_[i]];
      sum += off * off;
    }
    return places_.empty() ? 0 : sum / static_cast<double>(places_.size());
  }

  const GrownTree& grown_;
  const std::vector<double>& value_;
  std::vector<std::uint32_t> places_;
  RowBlock block_;
  std::vector<bool> used_;
  std::vector<double> said_;
  double before_ = 0;
};

}  // namespace

std::vector<UnseenRow> unseen_rows(const std::vector<GrownTree>& trees, const TrainingRows& rows,
                                   const FeatureMatrix& features, unsigned threads) {
  std::vector<UnseenRow> unseen(rows.size());
  const std::size_t size = RowBlock::good_size(features.features());
  for_each_index(threads, (rows.size() + size - 1) / size, [&](std::size_t block) {
    const std::size_t first = block * size;
    fill(trees, rows, features, first, std::min(size, rows.size() - first), unseen);
  });
  return unseen;
}

PermutedErrors permuted_errors(const std::vector<GrownTree>& trees,
                               const std::vector<std::uint32_t>& rows,
                               const std::vector<double>& value, const FeatureMatrix& features,
                               std::uint64_t seed, unsigned threads) {
  const std::size_t count = features.features();
  std::vector<double> before(trees.size());
  std::vector<double> after(trees.size() * count);
  for_each_index(threads, trees.size(), [&](std::size_t tree) {
    TreeErrors errors(trees[tree], rows, value, features);
    before[tree] = errors.before();
    for (std::size_t feature = 0; feature < count; ++feature)
      after[tree * count + feature] =
          errors.after(feature, RandomStream::key_of(RandomStream::key_of(seed, tree), feature));
  });
  PermutedErrors sums{0, std::vector<double>(count)};
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    sums.before += before[tree];
    for (std::size_t feature = 0; feature < count; ++feature)
      sums.after[feature] += after[tree * count + feature];
  }
  return sums;
}

}  // namespace huddle::forecast
