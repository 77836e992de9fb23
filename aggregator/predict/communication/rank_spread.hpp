#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/predict/pattern/placement.hpp"

namespace huddle::predict {

/// The spread of a set of ranks over nodes: the generalisation of a pattern to any set.
struct RankSpread {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  /// Ranks on the node that holds most of them.
  std::uint32_t ranks_per_node = 0;
  /// Messages that cross the border of the node where most do, one way, if every rank has one for
  /// every other one: the most of (ranks on a node) x (ranks elsewhere).
  std::uint64_t crossing = 0;
  /// See covering_pattern().
  Pattern pattern;

  friend auto operator<=>(const RankSpread&, const RankSpread&) = default;
};

/// Finds the spreads of sets of ranks, one after the other, in time linear in the set. Not safe
/// from several threads at once.
class SpreadFinder {
 public:
  /// `locations`, by rank, must outlive it.
  explicit SpreadFinder(const std::vector<Location>& locations);

  [[nodiscard]] const RankSpread& of_all() const { return of_all_; }
  /// Returns the spread of all ranks on one node.
  [[nodiscard]] RankSpread of_node(std::uint32_t node) const;
  /// `members`: different ranks, one or more.
  [[nodiscard]] RankSpread of(const std::vector<std::uint32_t>& members) const;

 private:
  const std::vector<Location>& locations_;
  /// The ranks on each node.
  std::vector<std::vector<std::uint32_t>> ranks_on_;
  RankSpread of_all_;
};

}  // namespace huddle::predict
