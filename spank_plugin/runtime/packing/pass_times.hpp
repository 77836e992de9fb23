#pragma once

#include <cstdint>
#include <vector>

namespace huddle::runtime {

/// Times in ticks: what some passes of one region took.
struct PassTimes {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // the sum of squared deviations from the mean
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;

  void add(std::uint64_t ticks) noexcept;
  /// All passes of `other`, too.
  void add(const PassTimes& other) noexcept;
  /// The variance of the population.
  [[nodiscard]] double variance() const {
    return count == 0 ? 0 : squares / static_cast<double>(count);
  }
};

/// Times of passes of a region on one number of cores.
struct TriedTimes {
  std::uint32_t cores = 0;
  PassTimes first;  // of each window: caches are cold, and threads move
  PassTimes packed;
  bool smaller = false;  // with as many threads as cores; else its whole team
};

/// The one of that configuration, which is added if there is none.
TriedTimes& tried_on(std::vector<TriedTimes>& tried, std::uint32_t cores, bool smaller = false);

}  // namespace huddle::runtime
