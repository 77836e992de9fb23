#pragma once

// The time for which the threads of a team work in a pass of a region, and the passes in which that
// is looked at.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace huddle::recorder {

/// The work of the threads of one team in one pass of a region: how long each was in the region's
/// function, and at no barrier, in ticks.
struct WorkOfTeam {
  double mean = 0;  ///< of all threads
  std::uint64_t busiest = 0;
};

/// Where the threads of the teams that one thread begins leave how long they worked. Each has a
/// cache line of its own, and no thread waits for another: that all have come is known by the
/// number of the pass that each leaves beside its time.
class TeamWork {
 public:
  /// Passes of larger teams are not seen.
  static constexpr std::uint32_t kMostThreads = 512;

  /// Called by the thread that begins the region, before there is a team.
  void begin() noexcept { ++pass_; }
  /// Called by each thread of the team. The last call in a pass counts.
  void worked(std::uint32_t thread, std::uint64_t ticks) noexcept {
    if (thread >= kMostThreads) return;
    Slot& slot = slots_[thread];
    slot.ticks.store(ticks, std::memory_order_relaxed);
    slot.pass.store(pass_, std::memory_order_release);
  }
  /// Called by the thread that began the region, when it has ended after `took`: no thread has
  /// worked for longer. Nothing if not all threads of the team have left what they did.
  [[nodiscard]] std::optional<WorkOfTeam> seen(std::uint32_t team,
                                               std::uint64_t took) const noexcept {
    if (team == 0 || team > kMostThreads) return {};
    WorkOfTeam work;
    double sum = 0;
    for (std::uint32_t thread = 0; thread < team; ++thread) {
      const Slot& slot = slots_[thread];
      if (slot.pass.load(std::memory_order_acquire) != pass_) return {};
      const std::uint64_t ticks = std::min(slot.ticks.load(std::memory_order_relaxed), took);
      sum += static_cast<double>(ticks);
      work.busiest = std::max(work.busiest, ticks);
    }
    work.mean = sum / team;
    return work;
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Slot {
    std::atomic<std::uint64_t> pass{0};
    std::atomic<std::uint64_t> ticks{0};
  };

  std::array<Slot, kMostThreads> slots_{};
  std::uint64_t pass_ = 0;
};

/// Draws in which of the timed passes of one region something is done that costs more than timing,
/// so that it takes no more than 1 in kShare of the region's time. One thread's.
class ReadingDraw {
 public:
  static constexpr std::uint64_t kShare = 256;
  static constexpr std::uint64_t kMostStride = 1U << 20U;
  static constexpr std::uint32_t kSeed = 2463534242U;

  /// Draws that are to be of different passes have different seeds; none is 0.
  constexpr explicit ReadingDraw(std::uint32_t seed = kSeed) : random_(seed) {}

  /// A timed pass begins: whether it is drawn.
  bool draws() noexcept { return --countdown_ == 0; }
  /// The number of timed passes that the one that is drawn stands for.
  [[nodiscard]] std::uint32_t weight() const { return stride_; }

  /// The pass that was drawn has ended. To look at it took `cost` ticks, and `between` is how long
  /// it is from one timed pass to the next.
  void looked(std::uint64_t cost, std::uint64_t between) noexcept {
    const std::uint64_t stride = kShare * cost / std::max<std::uint64_t>(between, 1) + 1;
    stride_ = static_cast<std::uint32_t>(std::min(stride, kMostStride));
    // Marsaglia's xorshift (2003).
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 17U;
    random_ ^= random_ << 5U;
    countdown_ = 1 + static_cast<std::uint32_t>(
                         (std::uint64_t{random_} * (2 * std::uint64_t{stride_} - 1)) >> 32U);
  }

 private:
  std::uint32_t countdown_ = 1;
  std::uint32_t stride_ = 1;
  std::uint32_t random_;
};

/// Draws in which of the timed passes of one region the work of its threads is looked at. One
/// thread's.
class WorkDraw {
 public:
  static constexpr std::uint64_t kShare = ReadingDraw::kShare;
  static constexpr std::uint64_t kMostStride = ReadingDraw::kMostStride;

  /// As ReadingDraw's; but not where the last team had one thread, as there is nothing to compare.
  bool draws() noexcept { return team_ != 1 && draw_.draws(); }
  [[nodiscard]] std::uint32_t weight() const { return draw_.weight(); }
  void looked(std::uint64_t cost, std::uint64_t between) noexcept { draw_.looked(cost, between); }
  /// A timed pass has ended.
  void saw(std::uint32_t team) noexcept { team_ = team; }

 private:
  ReadingDraw draw_;
  std::uint32_t team_ = 0;  // of the last timed pass; 0: none yet
};

}  // namespace huddle::recorder
