#include "aggregator/forecast/forest/out_of_bag.hpp"

#include <algorithm>
#include <span>

#include "aggregator/forecast/forest/tree_sums.hpp"
#include "aggregator/forecast/forest/tree_walk.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
namespace {

void note(const TreeSums& sums, std::span<UnseenRow> unseen) {
  for (std::size_t i = 0; i < unseen.size(); ++i)
    if (sums.trees(i) > 0) unseen[i] = {sums.trees(i), sums.mean(i), sums.spread(i)};
}

void fill(const std::vector<GrownTree>& trees, const TrainingRows& rows,
          const FeatureMatrix& features, std::size_t first, std::size_t count, UnseenRows& unseen) {
  const RowBlock block(features, std::span(rows.row).subspan(first, count));
  TreeSums sums(count);
  std::vector<std::uint32_t> which;
  std::vector<double> said;
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    if (tree == trees.size() / 2) note(sums, std::span(unseen.half).subspan(first, count));
    const GrownTree& grown = trees[tree];
    which.clear();
    for (std::uint32_t i = 0; i < count; ++i)
      if (!grown.drawn.drawn(first + i)) which.push_back(i);
    said.resize(which.size());
    walk_tree(grown.tree, block, which, said);
    for (std::size_t i = 0; i < which.size(); ++i) sums.add(which[i], said[i]);
  }
  note(sums, std::span(unseen.all).subspan(first, count));
}

}  // namespace

UnseenRows unseen_rows(const std::vector<GrownTree>& trees, const TrainingRows& rows,
                       const FeatureMatrix& features, unsigned threads) {
  UnseenRows unseen{std::vector<UnseenRow>(rows.size()), std::vector<UnseenRow>(rows.size())};
  const std::size_t size = RowBlock::good_size(features.features());
  for_each_index(threads, (rows.size() + size - 1) / size, [&](std::size_t block) {
    const std::size_t first = block * size;
    fill(trees, rows, features, first, std::min(size, rows.size() - first), unseen);
  });
  return unseen;
}

}  // namespace huddle
