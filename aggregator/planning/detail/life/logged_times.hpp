#pragma once

#include <cstddef>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The newest times of runs of one kind, of which factors are compared: their logarithms.
class LoggedTimes {
 public:
  /// The number of runs that count.
  static constexpr std::size_t kMost = 16;
  /// The spread of runs that is believed before there are several: 3 %, as if 8 runs
  /// had shown it.
  static constexpr double kUsualSpread = 0.03;
  static constexpr double kUsualRuns = 8;

  /// Above 0.
  void add(Seconds elapsed);
  [[nodiscard]] std::size_t count() const { return logs_.size(); }
  /// The mean of the logarithms. Precondition: count() > 0.
  [[nodiscard]] double mean() const;
  /// The geometric mean; 0 without any.
  [[nodiscard]] Seconds time() const;
  /// The sum of the squares of what each differs by from the mean.
  [[nodiscard]] double squares() const;
  /// The difference from the mean that one run more of the kind hardly ever has.
  [[nodiscard]] double usual_difference() const;

 private:
  std::vector<double> logs_;
};

}  // namespace huddle
