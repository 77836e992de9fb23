#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "profiles/balancing/place_trade.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// What the ranks of one node know of each other for trading places, in memory that they share (see
/// node_memory.hpp). Sizes are the same in all of them, since they run one library. A rank's place
/// at the start has its slot's number. No rank waits for another.
struct TradePage {
  static constexpr std::size_t kMostPus = 128;

  /// One rank's.
  struct alignas(64) Slot {
    // Its place at the start; written by that rank before the others see the page.
    ClockPlace place;
    std::array<std::uint32_t, kMostPus> pus{};

    // Its work, as of the last balance point; written by that rank.
    std::atomic<double> work_s{0};
    std::atomic<double> sensitivity{1};

    /// The place that it is on; written by that rank.
    std::atomic<std::uint32_t> on{0};
    /// Where it is to be: a place. Written by the rank that decides, or by one that fails.
    std::atomic<std::uint32_t> target{0};

    // For the rank that decides.
    double work_before_s = 0;
    std::uint32_t place_before = 0;
  };

  /// How many orders were given so far. A rank that reads a new number goes to its target.
  alignas(64) std::atomic<std::uint32_t> orders{0};
  /// A WhyNoTrades: once it is set, all ranks go back to where they began, and stay there.
  std::atomic<std::uint32_t> stopped{0};
  /// How often a rank has reached a balance point. The last of a balance point decides.
  alignas(64) std::atomic<std::uint64_t> reached{0};

  // For the rank that decides.

  /// Balance points since the last trade, and until there may be another one.
  std::uint32_t since = 0;
  std::uint32_t pause = 2;
  /// Whether it is to be looked whether the last trade did harm.
  bool on_trial = false;
  std::atomic<std::uint32_t> trades{0};

  // Set before the others see the page.
  std::uint32_t ranks = 0;

  [[nodiscard]] std::span<Slot> slots() {
    return {reinterpret_cast<Slot*>(this + 1), ranks};  // NOLINT: they follow this in memory
  }
  static std::size_t size_for(std::uint32_t ranks) {
    return sizeof(TradePage) + ranks * sizeof(Slot);
  }
  /// As NodePage's: one that only this process has; one in shared memory, under an unused name,
  /// which `name` gets; and the one of that name. Throw SystemError.
  static TradePage* alone(std::uint32_t ranks);
  static TradePage* make(std::uint32_t ranks, std::string& name);
  static TradePage* open(const std::string& name, std::uint32_t ranks);
  /// Removes the name; processes that have the page keep it.
  static void forget(const std::string& name) noexcept;
  /// Pages live as long as the process, unless this ends them.
  static void close(TradePage* page) noexcept;

  /// The place with that number; empty if there is none.
  [[nodiscard]] PuSet pus_of(std::uint32_t place);
};

}  // namespace huddle::recorder
