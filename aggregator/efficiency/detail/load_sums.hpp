#pragma once

#include <algorithm>
#include <cstdint>

#include "aggregator/efficiency/run_efficiency.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// The times of ranks outside MPI, as load balance is made of them.
class LoadSums {
 public:
  /// A rank's time outside MPI.
  void add(std::uint32_t threads, Seconds outside) {
    sum_ += outside * threads;
    longest_ = std::max(longest_, outside);
    threads_ += threads;
  }

  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  [[nodiscard]] Seconds longest() const { return longest_; }
  /// 0 of nobody.
  [[nodiscard]] Seconds mean() const { return threads_ == 0 ? Seconds{} : sum_ * (1.0 / threads_); }
  /// Balanced where nobody computes.
  [[nodiscard]] MpiEfficiency efficiency(Seconds elapsed) const {
    if (longest_ <= Seconds{} || elapsed <= Seconds{}) return {1, 0};
    return {std::min(mean() / longest_, 1.0), std::min(longest_ / elapsed, 1.0)};
  }

 private:
  Seconds sum_;
  Seconds longest_;
  std::uint32_t threads_ = 0;
};

}  // namespace huddle::efficiency
