#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// The call paths of one location, numbered in the order they are met: parents first.
class CallPathTree {
 public:
  struct Path {
    std::uint32_t parent = CallPath::kRoot;
    std::uint32_t region = 0;
    std::uint64_t visits = 0;
    std::uint64_t ticks = 0;  ///< without the paths below
  };

  /// The path of `region` called from `parent` (a number, or CallPath::kRoot); made if it is new.
  std::uint32_t below(std::uint32_t parent, std::uint32_t region) {
    const LastChild& last = last_of(parent);
    if (last.region == region && last.path != CallPath::kRoot) return last.path;
    const std::uint32_t path = look_up(parent, region);
    last_of(parent) = {region, path};
    return path;
  }

  Path& operator[](std::uint32_t path) { return paths_[path]; }
  [[nodiscard]] const std::vector<Path>& paths() const { return paths_; }

 private:
  // The same function is mostly called again: saves the look-up.
  struct LastChild {
    std::uint32_t region = 0;
    std::uint32_t path = CallPath::kRoot;
  };

  LastChild& last_of(std::uint32_t parent) {
    return parent == CallPath::kRoot ? last_outermost_ : last_[parent];
  }

  std::uint32_t look_up(std::uint32_t parent, std::uint32_t region) {
    std::uint32_t& known = children_[{parent, region}];  // 0: new, else the path and 1
    if (known == 0) {
      paths_.push_back({parent, region});
      last_.emplace_back();
      known = static_cast<std::uint32_t>(paths_.size());
    }
    return known - 1;
  }

  std::vector<Path> paths_;
  std::vector<LastChild> last_;
  LastChild last_outermost_;
  FlatMap<std::uint32_t> children_;
};

}  // namespace huddle
