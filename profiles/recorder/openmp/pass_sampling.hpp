#pragma once

// Chooses the passes of OpenMP's regions that are timed: reading the clock twice takes as long as
// an empty region of one thread, and many programs go through regions of a microsecond.

#include <algorithm>
#include <cstdint>

namespace huddle::recorder {

/// The pace of one region's passes, by which all or some of them are timed: its first
/// kTimedFirst passes are, and afterwards those of regions that come less often than once in
/// kTicksPerPass (5 to 8 us), so that timing takes less than 1 % of their time. One thread's.
class PassPace {
 public:
  static constexpr std::uint32_t kTimedFirst = 1024;
  static constexpr std::uint64_t kTicksPerPass = 16'384;

  /// True if only some of the passes are to be timed.
  [[nodiscard]] bool is_short() const { return short_; }

  /// The usual time from one pass to the next; 0 if none was timed.
  [[nodiscard]] std::uint64_t typical() const { return typical_; }

  /// A pass was timed; `ticks` is how long it and what was serial before it took.
  void timed(std::uint64_t ticks) noexcept {
    typical_ = follow(typical_, ticks);
    if (timed_ < kTimedFirst) ++timed_;
    short_ = timed_ == kTimedFirst && typical_ < kTicksPerPass;
  }

  /// Comes slowly from `typical` to what `ticks` are, so that one interruption does not count for
  /// long. 0 is none yet.
  static std::uint64_t follow(std::uint64_t typical, std::uint64_t ticks) noexcept {
    if (typical == 0) return std::max<std::uint64_t>(ticks, 1);
    const auto apart = static_cast<std::int64_t>(ticks - typical);
    const auto next = static_cast<std::int64_t>(typical) + apart / 8;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(next, 1));
  }

 private:
  std::uint64_t typical_ = 0;
  std::uint32_t timed_ = 0;
  bool short_ = false;
};

/// Draws which of a thread's short passes are timed, those of all its short regions together: one
/// in as many as makes kTicksPerPass, kMostStride at most. The next one is drawn evenly from twice
/// as many, so that programs which repeat themselves are not always seen at the same place. A drawn
/// pass stands for as many as one was to be drawn from: sums that are weighted so are unbiased,
/// whatever the program's pattern is, as each pass had the same chance (Horvitz and Thompson's
/// estimator, 1952).
class PassDraw {
 public:
  static constexpr std::uint32_t kMostStride = 128;

  /// A short pass begins: whether it is drawn.
  bool draws() noexcept { return --countdown_ == 0; }
  /// True if the next short pass will be.
  [[nodiscard]] bool draws_next() const { return countdown_ == 1; }
  /// The number of passes that the one that is drawn stands for.
  [[nodiscard]] std::uint32_t weight() const { return stride_; }

  /// The pass that was drawn has ended: `ticks` as for PassPace::timed(). To be called before the
  /// next draws().
  void timed(std::uint64_t ticks) noexcept {
    typical_ = PassPace::follow(typical_, ticks);
    stride_ = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(PassPace::kTicksPerPass / typical_, 1, kMostStride));
    // Marsaglia's xorshift (2003).
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 17U;
    random_ ^= random_ << 5U;
    countdown_ =
        1 + static_cast<std::uint32_t>((std::uint64_t{random_} * (2 * stride_ - 1)) >> 32U);
  }

 private:
  std::uint32_t countdown_ = 1;
  std::uint32_t stride_ = 1;
  std::uint64_t typical_ = 0;
  std::uint32_t random_ = 2463534242U;
};

}  // namespace huddle::recorder
