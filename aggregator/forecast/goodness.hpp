#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace huddle {

/// R^2, the coefficient of determination, of 1: the share of the values' variance that is foretold.
/// Below 0 if their mean would have been better; NaN if there are none or they do not vary. Both of
/// one length.
inline double r_squared(std::span<const double> measured, std::span<const double> foretold) {
  double mean = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    mean += (measured[i] - mean) / static_cast<double>(i + 1);
  double missed = 0;
  double varied = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    missed += (measured[i] - foretold[i]) * (measured[i] - foretold[i]);
    varied += (measured[i] - mean) * (measured[i] - mean);
  }
  return varied > 0 ? 1 - missed / varied : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace huddle
