#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "profiles/recorder/moves/own_threads.hpp"

namespace huddle::recorder {

/// What the ranks of one node know of each other for moving, in memory that they share. Sizes are
/// the same in all of them, since they run one library; all zero is a valid beginning. Every rank
/// may write all of it, as its comments say, without waiting for another.
struct NodePage {
  /// One rank's. Written by that rank, but for `target`.
  struct alignas(64) Slot {
    /// Where the rank is: an index into the node's cores.
    std::atomic<std::uint32_t> core{0};
    /// A Hold; set before the others see the slot.
    std::atomic<std::uint32_t> hold{0};
    /// Where it moves to: set by the rank that begins the first burst, and not changed after that.
    std::atomic<std::uint32_t> target{0};
    /// What moving has cost the rank, and the dearest burst, in ticks.
    std::atomic<std::uint64_t> spent{0};
    std::atomic<std::uint64_t> dearest{0};
    /// Passes that counted as moved.
    std::atomic<std::uint64_t> passes{0};
  };

  // Read at each delimiter, written in bursts only.

  /// How many orders were given so far: odd while ranks are to be moved. Never falls, so that a
  /// rank that reads one number twice knows that there was no order in between.
  alignas(64) std::atomic<std::uint64_t> order{0};
  /// When the next order is due, in ticks; the first rank to see that gives it.
  std::atomic<std::uint64_t> due{0};
  /// How many ranks are moved, or about to be: with none, all are at home.
  std::atomic<std::uint32_t> away{0};
  /// How many of them have arrived.
  std::atomic<std::uint32_t> arrived{0};
  /// A WhyNotMoved; with kNone, `ended` means that a rank is at its end. Then no rank moves any
  /// more.
  std::atomic<std::uint32_t> stopped{0};
  std::atomic<bool> ended{false};

  // For the rank that holds `deciding`, which is taken by exchange and never waited for.

  alignas(64) std::atomic<bool> deciding{false};
  std::atomic<bool> has_targets{false};
  std::atomic<std::uint64_t> looked_at{0};  // ns since the start, see MoveSchedule::due()
  std::atomic<std::uint64_t> bursts{0};

  // Set before the others see the page.

  std::uint64_t began_ticks = 0;
  std::uint64_t began_ns = 0;
  std::uint32_t ranks = 0;

  [[nodiscard]] std::span<Slot> slots() {
    return {reinterpret_cast<Slot*>(this + 1), ranks};  // NOLINT: they follow this in memory
  }
  static std::size_t size_for(std::uint32_t ranks) {
    return sizeof(NodePage) + ranks * sizeof(Slot);
  }

  /// A page that only this process has, and what it forks. Throws SystemError.
  static NodePage* alone(std::uint32_t ranks);
  /// Makes one in shared memory, under an unused name; `name` gets it. Throws SystemError.
  static NodePage* make(std::uint32_t ranks, std::string& name);
  /// The page of that name. Throws SystemError.
  static NodePage* open(const std::string& name, std::uint32_t ranks);
  /// Removes the name; processes that have the page keep it.
  static void forget(const std::string& name) noexcept;
  /// Pages live as long as the process, unless this ends them.
  static void close(NodePage* page) noexcept;
};

}  // namespace huddle::recorder
