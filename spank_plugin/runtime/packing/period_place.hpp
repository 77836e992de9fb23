#pragma once

#include <cstdint>

namespace huddle::runtime {

/// Where in a period of its OpenMP regions a thread is: which regions came since the last anchor,
/// and in which order. An anchor is what comes once in a period: a group of phases that has ended,
/// a region, or a pair of regions of which one follows the other. So a period whose inner loops
/// take another turn is followed as far as it is the same, and from its next anchor on again: in
/// between the place is one that nobody has seen. One thread's.
class PeriodPlace {
 public:
  /// Regions behind an anchor beyond which nothing is known until the next one.
  static constexpr std::uint32_t kLongest = 512;

  /// `anchor`: ids of a group or a region, or pair_of() two. 0: there is none, and no place is
  /// known.
  explicit PeriodPlace(std::uint64_t anchor = 0) : anchor_(anchor) {}

  /// A region with this id begins.
  void region(std::uint64_t id) noexcept {
    if (anchor_ != 0) go_on(id);
  }
  /// A delimiter of MPI ends `group`.
  void delimiter(std::uint64_t group) noexcept {
    if (anchor_ != 0 && group == anchor_) begin();
  }

  [[nodiscard]] std::uint64_t anchor() const { return anchor_; }
  /// The context of the region that began last: stands for the anchor and all regions since then.
  /// The same in all runs. 0: not known.
  [[nodiscard]] std::uint64_t context() const { return context_; }
  /// The number of that region among those since the anchor, from 1 on; 0: not known.
  [[nodiscard]] std::uint32_t position() const { return context_ == 0 ? 0 : position_; }
  /// The number of anchors so far.
  [[nodiscard]] std::uint64_t periods() const { return periods_; }

  /// Stands for two ids in this order.
  static std::uint64_t pair_of(std::uint64_t first, std::uint64_t second) noexcept {
    // The finaliser of SplitMix64.
    std::uint64_t mixed = (first << 23U | first >> 41U) ^ second;
    mixed = (mixed ^ mixed >> 30U) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 27U) * 0x94d049bb133111ebULL;
    mixed ^= mixed >> 31U;
    return mixed == 0 ? 1 : mixed;
  }

 private:
  void begin() noexcept {
    hash_ = anchor_;
    position_ = 0;
    ++periods_;
    known_ = true;
  }
  void go_on(std::uint64_t id) noexcept {
    const std::uint64_t pair = pair_of(last_, id);
    last_ = id;
    if (id == anchor_ || pair == anchor_) begin();
    known_ = known_ && ++position_ <= kLongest;
    hash_ = pair_of(hash_, id);
    context_ = known_ ? hash_ : 0;
  }

  std::uint64_t anchor_;
  std::uint64_t last_ = 0;  // region
  std::uint64_t hash_ = 0;
  std::uint64_t context_ = 0;
  std::uint64_t periods_ = 0;
  std::uint32_t position_ = 0;
  bool known_ = false;
};

}  // namespace huddle::runtime
