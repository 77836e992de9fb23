#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace huddle::commgraph {

/// A machine as a tree: level 0 groups cores, level 1 groups those groups, and so on; all groups of
/// a level are alike. {2, 2, 2, 128} is 2 cores a die, 2 dies a package, 2 packages a node and 128
/// nodes. Cores are numbered so that each group holds a run of them. The groups right below the
/// outermost level are the nodes; with a single level, every core is a node of its own. Immutable.
class Hierarchy {
 public:
  /// Both innermost level first, of equal length. `distances[l]` is the distance between two cores
  /// whose innermost common group is of level l. An arity of 1 is fine, and so are distances that
  /// do not grow. Throws UsageError if there is no level, an arity is 0, the lengths differ, or
  /// there are more than 2^32 - 1 cores.
  Hierarchy(std::vector<std::uint32_t> arities, std::vector<std::uint64_t> distances);

  /// Reads "2:2:2:128" and "1:10:100:1000". Throws UsageError naming the text.
  static Hierarchy parse(std::string_view arities, std::string_view distances);

  [[nodiscard]] std::size_t levels() const { return arities_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> arities() const { return arities_; }
  [[nodiscard]] std::span<const std::uint64_t> distances() const { return distances_; }
  [[nodiscard]] std::uint64_t largest_distance() const;

  [[nodiscard]] std::uint32_t cores() const { return group_sizes_.back(); }
  /// Returns the number of cores that a group of `level` holds.
  [[nodiscard]] std::uint32_t group_size(std::size_t level) const { return group_sizes_[level]; }
  [[nodiscard]] std::uint32_t nodes() const { return arities_.back(); }
  [[nodiscard]] std::uint32_t cores_per_node() const { return cores() / nodes(); }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t core) const { return core / cores_per_node(); }

  /// The distance between two cores below cores(); 0 for a core and itself.
  [[nodiscard]] std::uint64_t distance(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    std::size_t level = 0;
    while (a / group_sizes_[level] != b / group_sizes_[level]) ++level;
    return distances_[level];
  }

 private:
  std::vector<std::uint32_t> arities_;
  std::vector<std::uint64_t> distances_;
  std::vector<std::uint32_t> group_sizes_;
};

/// The core of `whole` that core `core` of `part` is: groups of `part` are the first members of
/// those of `whole`. Both have the same levels, and no arity of `part` is larger.
std::uint32_t core_in_whole(const Hierarchy& part, const Hierarchy& whole, std::uint32_t core);

}  // namespace huddle::commgraph
