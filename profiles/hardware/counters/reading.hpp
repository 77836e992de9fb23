#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace huddle::counters {

/// The most events that a CounterSet counts.
inline constexpr std::size_t kMostEvents = 24;

/// A count as the kernel gives it.
struct Sample {
  std::uint64_t value = 0;
  /// Time in ns for which the event was wanted while the threads ran, summed over the threads...
  std::uint64_t enabled_ns = 0;
  /// ... and how long it was on a counter: less if there were more events than counters, or if
  /// others counted too. Both are 0 for what the kernel always counts.
  std::uint64_t running_ns = 0;
};

/// All counts at one moment, in the order of CounterSet::events(). Plain memory of fixed size: no
/// reading allocates.
struct Reading {
  std::array<Sample, kMostEvents> samples{};
  /// Number of the samples that are filled in.
  std::uint32_t size = 0;
  /// Bit i: sample i could not be read.
  std::uint32_t lost = 0;
};
static_assert(kMostEvents <= 32, "one bit for each event");

/// Counts of one or more stretches of time, uncorrected. Stretches are added before they are
/// corrected for multiplexing, since an event may miss a short stretch and still be sampled well by
/// many. Owned by one thread; a plain value.
struct Tally {
  std::array<Sample, kMostEvents> samples{};
  std::uint32_t size = 0;
  /// Bit i: event i could not be read in one of the stretches, or ran backwards.
  std::uint32_t lost = 0;

  /// Adds what was counted from `begin` to `end`, both of the same CounterSet, `times` times: as
  /// often as a stretch that was drawn stands for others.
  void add(const Reading& begin, const Reading& end, std::uint64_t times = 1) noexcept {
    size = end.size;
    lost |= begin.lost | end.lost;
    for (std::uint32_t i = 0; i < end.size; ++i) {
      const Sample& from = begin.samples[i];
      const Sample& to = end.samples[i];
      if (to.value < from.value || to.enabled_ns < from.enabled_ns ||
          to.running_ns < from.running_ns) {
        lost |= std::uint32_t{1} << i;
        continue;
      }
      samples[i].value += times * (to.value - from.value);
      samples[i].enabled_ns += times * (to.enabled_ns - from.enabled_ns);
      samples[i].running_ns += times * (to.running_ns - from.running_ns);
    }
  }

  /// Adds the stretches of another one, of the same CounterSet.
  void add(const Tally& other) noexcept {
    if (other.size > size) size = other.size;
    lost |= other.lost;
    for (std::uint32_t i = 0; i < other.size; ++i) {
      samples[i].value += other.samples[i].value;
      samples[i].enabled_ns += other.samples[i].enabled_ns;
      samples[i].running_ns += other.samples[i].running_ns;
    }
  }
};

/// One stretch.
[[nodiscard]] inline Tally difference(const Reading& begin, const Reading& end) noexcept {
  Tally tally;
  tally.add(begin, end);
  return tally;
}

}  // namespace huddle::counters
