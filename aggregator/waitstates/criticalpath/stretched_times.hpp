#pragma once

// Internal to slack and what-if.

#include <cmath>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/replay.hpp"

namespace huddle {

/// `ticks` times `stretch`, to the nearest tick.
inline std::uint64_t stretched(std::uint64_t ticks, double stretch) {
  if (stretch == 1) return ticks;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * stretch));
}

/// All computation of a rank takes so many times as long as measured. Refers to the vector.
class RankStretches final : public ComputationTimes {
 public:
  explicit RankStretches(const std::vector<double>& by_rank) : by_rank_(by_rank) {}
  [[nodiscard]] std::uint64_t ticks(std::uint32_t rank, std::uint64_t,
                                    std::uint64_t measured) const override {
    return stretched(measured, by_rank_[rank]);
  }

 private:
  const std::vector<double>& by_rank_;
};

}  // namespace huddle
