#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace huddle::balancing {

/// A rank's message to the others about the periods since the last balance point, and, combined
/// over all ranks, what all of them know then: two arrays, so that one reduction by maximum and one
/// by sum make one of many (MPI_MAX and MPI_SUM of doubles).
struct BalanceReport {
  enum Maximum : std::size_t {
    kLongest,              ///< work of a period at the top clock, s
    kMinusShortest,        ///< minus the same
    kMinusShortestAtMost,  ///< minus the same, at the lowest sensitivity that may be
    kLongestAsRun,         ///< computation of a period at the clocks that there were, s
    kMinusPeriods,         ///< minus how many periods this is about
    kLength,               ///< of a period, by the clock on the wall, s
    kChanged,              ///< 1: this rank's load is not what it was
    kLow,                  ///< 1: this rank's clock was below the top in some period
    kBroken,               ///< 1: this rank can't go on balancing
    kCycle,                ///< what the reporting rank's own cycle takes, whatever a period is, s
    kMaxima,
  };
  enum Sum : std::size_t {
    kWork,         ///< of a period at the top clock, s
    kWorkBefore,   ///< the same of the periods between the two balance points before
    kMovedWork,    ///< how much more or less it is than before, without sign
    kLoweredMore,  ///< how much more it is than before, of ranks that did not have the top clock
    kSums,
  };

  std::array<double, kMaxima> maxima{};
  std::array<double, kSums> sums{};

  /// All ranks have had at least as many.
  [[nodiscard]] double periods() const { return -maxima[kMinusPeriods]; }
  [[nodiscard]] bool any_low() const { return maxima[kLow] > 0; }

  /// Takes another rank's report in.
  void combine(const BalanceReport& other) {
    for (std::size_t i = 0; i < kMaxima; ++i) maxima[i] = std::max(maxima[i], other.maxima[i]);
    for (std::size_t i = 0; i < kSums; ++i) sums[i] += other.sums[i];
  }
};

}  // namespace huddle::balancing
