#include "aggregator/teams/measured_stretch.hpp"

#include <algorithm>
#include <cmath>

namespace huddle {
namespace {

// Nobody has measured better than this.
constexpr double kLeastError = 0.01;
// Of the distribution of a mean's error, one-sided 95 %.
constexpr double kQuantile = 1.645;

}  // namespace

void MeasuredStretch::add(const PackedRegionRecord& record) {
  const double usual = record.usual_mean.value;
  const auto passes = static_cast<double>(record.passes);
  const auto of_usual = static_cast<double>(record.usual_passes);
  const double ratio = record.mean.value / usual;
  // Of a ratio of two means, to first order. One pass shows no variance: its region's usual one.
  const double own = record.passes > 1 ? record.variance_s2 : record.usual_variance_s2;
  const double relative = own / (passes * record.mean.value * record.mean.value) +
                          record.usual_variance_s2 / (of_usual * usual * usual);
  const double share = passes / (weight + passes);
  stretch += share * (ratio - stretch);
  variance = (1 - share) * (1 - share) * variance + share * share * ratio * ratio * relative;
  if (record.first_passes > 0)
    refill = std::max(refill, record.first_mean.value - record.mean.value);
  weight += passes;
}

double MeasuredStretch::error() const {
  return std::max(kLeastError, kQuantile * std::sqrt(variance) / stretch);
}

}  // namespace huddle
