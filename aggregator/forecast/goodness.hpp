#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace huddle {

/// R^2, the coefficient of determination, of 1: the share of the values' variance that is
/// predicted. Below 0 if their mean would have been better; NaN if there are none or they do not
/// vary. Both of one length.
inline double r_squared(std::span<const double> measured, std::span<const double> predicted) {
  double mean = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    mean += (measured[i] - mean) / static_cast<double>(i + 1);
  double largest = 0;
  for (const double value : measured) largest = std::max(largest, std::abs(value - mean));
  // Of values below 1e-154 or above 1e154 the squares would be 0 or infinite. A power of 2 changes
  // no digit.
  const double scale = std::isnormal(largest) ? std::ldexp(1, std::ilogb(largest)) : 1;
  double missed = 0;
  double varied = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double miss = (measured[i] - predicted[i]) / scale;
    const double deviation = (measured[i] - mean) / scale;
    missed += miss * miss;
    varied += deviation * deviation;
  }
  return varied > 0 ? 1 - missed / varied : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace huddle
