#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/forecast/laws/scaling_law.hpp"

namespace huddle {

/// Predicts a count (of messages, bytes, calls) at a problem size from what it was at others: where one form a s^b or a + c s^k (k of 1/3, 1/2, 2/3, 1, 4/3, 3/2, 2, 3) goes through
/// all of three sizes or more within 2 %, that of the best such form; else by a power of the size
/// between the two nearest sizes. Counts have next to no noise, and there may be millions: a
/// scaling law for each would be too slow and no better. Immutable; safe from any thread.
class CountsBySize {
 public:
  /// `sizes`: of the runs, ascending, at least one; several runs may have one size.
  CountsBySize(std::span<const double> sizes, double target);

  /// `counts`: of the runs, 0 or more. The result is 0 or more, and need not be whole.
  [[nodiscard]] double at_target(std::span<const double> counts) const;

 private:
  [[nodiscard]] double by_neighbours(std::span<const double> counts) const;

  double target_;
  std::vector<double> sizes_;             // different ones
  std::vector<std::size_t> size_of_run_;  // indices into sizes_
  // By exponent k: s^k at each size, and at the target behind them.
  std::vector<std::vector<double>> powers_;
};

/// Predicts something measured with noise (a time, a counter) on each rank at a problem size from
/// what it was at others: a scaling law predicts the mean over the ranks, and each rank's
/// share of it is as at the nearest sizes. Immutable; safe from any thread.
class TimesBySize {
 public:
  /// `sizes`: of the runs, ascending, at least one. `ranks`: of each run.
  TimesBySize(std::span<const double> sizes, double target, std::uint32_t ranks);

  /// What a law says for values of the runs, 0 or more. Nothing if there is none: all of one size,
  /// or a value is 0; then at_target() of CountsBySize serves.
  [[nodiscard]] std::optional<Estimate> law(std::span<const double> values) const;
  [[nodiscard]] double at_target(std::span<const double> values) const;

  /// By rank; NaN if no run knows anything. `value_of(run, rank)`: 0 or more; NaN if the run knows
  /// nothing of it. `weight_of`: how much the rank counts in the run's mean; above 0 where there is
  /// a value.
  using Of = std::function<double(std::size_t run, std::uint32_t rank)>;
  [[nodiscard]] std::vector<double> by_rank(const Of& value_of, const Of& weight_of) const;
  [[nodiscard]] std::vector<double> by_rank(const Of& value_of) const;

  /// The index of the run whose size is nearest, by ratio; the last one of these.
  [[nodiscard]] std::size_t nearest_run() const;
  [[nodiscard]] const CountsBySize& counts() const { return counts_; }

 private:
  [[nodiscard]] std::vector<double> weights_of_runs() const;
  [[nodiscard]] std::vector<double> by_rank_of(const std::vector<std::size_t>& runs,
                                               const Of& value_of, const Of& weight_of) const;

  std::vector<double> sizes_;
  double target_;
  std::uint32_t ranks_;
  CountsBySize counts_;
  std::vector<double> share_of_run_;  // in what a rank's share of the mean will be
};

}  // namespace huddle
