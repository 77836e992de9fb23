#include "aggregator/forest/out_of_bag.hpp"

#include <algorithm>
#include <span>

#include "aggregator/forest/tree_sums.hpp"
#include "aggregator/forest/tree_walk.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
namespace {

void fill(const std::vector<GrownTree>& trees, const TrainingRows& rows,
          const FeatureMatrix& features, std::size_t first, std::span<UnseenRow> unseen) {
  const RowBlock block(features, std::span(rows.row).subspan(first, unseen.size()));
  TreeSums sums(unseen.size());
  std::vector<std::uint32_t> which;
  std::vector<double> said;
  for (const GrownTree& grown : trees) {
    which.clear();
    for (std::uint32_t i = 0; i < unseen.size(); ++i)
      if (!grown.drawn.drawn(first + i)) which.push_back(i);
    said.resize(which.size());
    walk_tree(grown.tree, block, which, said);
    for (std::size_t i = 0; i < which.size(); ++i) sums.add(which[i], said[i]);
  }
  for (std::size_t i = 0; i < unseen.size(); ++i)
    if (sums.trees(i) > 0) unseen[i] = {sums.trees(i), sums.mean(i), sums.spread(i)};
}

}  // namespace

std::vector<UnseenRow> unseen_rows(const std::vector<GrownTree>& trees, const TrainingRows& rows,
                                   const FeatureMatrix& features, unsigned threads) {
  std::vector<UnseenRow> unseen(rows.size());
  const std::size_t size = RowBlock::good_size(features.features());
  for_each_index(threads, (rows.size() + size - 1) / size, [&](std::size_t block) {
    const std::size_t first = block * size;
    fill(trees, rows, features, first,
         std::span(unseen).subspan(first, std::min(size, rows.size() - first)));
  });
  return unseen;
}

}  // namespace huddle
