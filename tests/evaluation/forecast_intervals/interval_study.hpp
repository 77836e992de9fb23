#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/evaluation/forecast_intervals/program_kinds.hpp"

namespace huddle::evaluation {

/// Where a forecast is asked for: between two measured values of the factor, or at so many times
/// the largest one.
enum class Asked : unsigned char { between, twice, four_times };
inline constexpr std::array kAsked = {Asked::between, Asked::twice, Asked::four_times};

/// One forecast, judged by the law and by further measurements.
struct JudgedForecast {
  /// The share of further measurements that lie in the interval.
  double held = 0;
  /// The distance of its ends from its middle, as a natural logarithm; infinite if not known.
  double half_width = 0;
  /// |predicted / law - 1|.
  double error = 0;
};

/// Draws a program of that kind, measures it at so many values of its factor, with noise of 0.5 to
/// 10 %, rare outliers, 1 to 5 repetitions, and asks its forecast a few times in each way, by
/// kAsked. The same for the same arguments, everywhere.
std::array<std::vector<JudgedForecast>, kAsked.size()> judged_forecasts(const ProgramKind& kind,
                                                                        std::size_t values,
                                                                        std::uint64_t seed);

}  // namespace huddle::evaluation
