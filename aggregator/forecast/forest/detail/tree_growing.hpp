#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "aggregator/forecast/forest/detail/training_rows.hpp"
#include "aggregator/forecast/forest/detail/tree.hpp"
#include "aggregator/forecast/forest/forest.hpp"

namespace huddle::forecast {

/// Settings of a tree's growth, checked: every number is at least 1.
struct TreeSettings {
  std::uint32_t features_per_split = 1;
  std::uint32_t least_leaf = 1;
  std::uint32_t most_depth = 1;
};

/// Keys of the random streams of a tree, so that it doesn't matter which thread grows what when.
struct TreeKeys {
  std::uint64_t draw;
  std::uint64_t root;
  static TreeKeys of(std::uint64_t seed, std::uint32_t tree);
  /// Keys of the children of the node with this key.
  static std::uint64_t left(std::uint64_t node);
  static std::uint64_t right(std::uint64_t node);
};

/// Grows trees one after the other, in memory that it keeps. One for each thread.
///
/// The rows that a tree saw are numbered anew, and each feature keeps them sorted: a node has the
/// same range in all these lists. It is split by looking once along the list of each feature that
/// was drawn, and by parting all lists in two without changing their order: nothing is ever sorted.
class TreeGrower {
 public:
  /// `rows` must outlive it.
  TreeGrower(const TrainingRows& rows, const TreeSettings& settings);
  ~TreeGrower();
  TreeGrower(const TreeGrower&) = delete;
  TreeGrower& operator=(const TreeGrower&) = delete;

  /// The tree grown on rows drawn as often as `times` says, by place; not all 0.
  ///
  /// A node is a leaf if it has fewer than twice the rows that a leaf must have (rows drawn several
  /// times count once), all its values are equal, or it is too deep. Otherwise features are drawn
  /// until there have been enough and one of them can split it.
  Tree grow(const std::vector<std::uint16_t>& times, std::uint64_t root_key);

 private:
  class Growth;
  std::unique_ptr<Growth> growth_;
};

}  // namespace huddle::forecast
