#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/forecast/laws/scaling_law.hpp"
#include "aggregator/forecast/sizes/counts_by_size.hpp"

namespace huddle {

/// Tells what something measured with noise (a time, a counter) will be on each rank at a problem
/// size from what it was at others: a scaling law tells the mean over the ranks, and each rank's
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
