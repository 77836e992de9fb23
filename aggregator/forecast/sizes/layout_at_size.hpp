#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "aggregator/forecast/sizes/times_by_size.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What all ranks of a layout do at a problem size, told from runs of others. `runs` must outlive
/// it, and have a run at least.
class LayoutAtSize {
 public:
  LayoutAtSize(const RunsOfLayout& runs, double size);

  /// The whole profile. It uses as many threads as there are processors.
  [[nodiscard]] Profile predicted() const;
  /// Its run time alone, which takes less.
  [[nodiscard]] Seconds run_time() const;
  /// What a law of the whole run time says, which knows nothing of its parts.
  [[nodiscard]] std::optional<Estimate> run_time_by_law() const;

 private:
  [[nodiscard]] Profile identity() const;
  void set_times(Profile& profile, const std::vector<std::string>& events) const;
  void end_together(Profile& profile, Seconds mean) const;
  [[nodiscard]] bool runs_know_mpi() const;
  void set_counters(Profile& profile) const;
  template <class Value>
  [[nodiscard]] std::vector<double> of_runs(std::size_t rank, Value&& value_of) const;
  template <class Value>
  [[nodiscard]] std::vector<double> by_rank(Value&& value_of) const;

  const RunsOfLayout& runs_;
  double size_;
  std::uint32_t ranks_;
  TimesBySize by_size_;
};

}  // namespace huddle
