#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/ids.hpp"

namespace huddle {

/// A set of ranks, kept as runs of equal strides: the rows and columns of process grids take a few
/// bytes, however many ranks they have. A value type; not safe for concurrent writing.
class RankSet {
 public:
  /// Ranks `first`, `first` + `stride`, ... up to `last`, which is one of them.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t stride = 1;  // 1 where the run is one rank

    friend bool operator==(const Run&, const Run&) = default;
  };

  RankSet() = default;
  /// In any order; ranks that are there twice count once.
  explicit RankSet(std::vector<std::uint32_t> ranks);

  /// Reads the list form "0-3,8,16-28:4" (16, 20, 24, 28). The empty text is the empty set. Throws
  /// Error naming the text if it is not such a list, not ascending, or holds a rank >= `limit`.
  static RankSet parse(std::string_view list, std::uint32_t limit);

  [[nodiscard]] std::string list() const;
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] std::uint32_t size() const;
  [[nodiscard]] bool contains(Rank rank) const;
  /// Ascending, and not overlapping in their extents.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  friend bool operator==(const RankSet&, const RankSet&) = default;

 private:
  std::vector<Run> runs_;
};

}  // namespace huddle
