#pragma once

// Internal to the reader of traces.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace huddle::otf2 {

/// The regions that a location is in, outermost first.
class RegionNesting {
 public:
  /// Beyond that, regions are entered and never left.
  static constexpr std::size_t kDeepest = std::size_t{1} << 20;

  [[nodiscard]] std::size_t depth() const { return regions_.size(); }
  /// The innermost; depth() must not be 0.
  [[nodiscard]] std::uint32_t innermost() const { return regions_.back(); }
  void enter(std::uint32_t region) { regions_.push_back(region); }
  void leave() { regions_.pop_back(); }

  /// How deep it is once the innermost visit to `region` is over; depth() if there is none among
  /// the innermost few hundred.
  [[nodiscard]] std::size_t depth_without(std::uint32_t region) const {
    constexpr std::size_t kFurthest = 256;
    const std::size_t last = depth() > kFurthest ? depth() - kFurthest : 0;
    for (std::size_t at = depth(); at > last; --at)
      if (regions_[at - 1] == region) return at - 1;
    return depth();
  }

 private:
  std::vector<std::uint32_t> regions_;
};

}  // namespace huddle::otf2
