#pragma once

#include "profiles/formats/profile/openmp_regions.hpp"

namespace huddle {

/// What was measured of a region on fewer cores, of one rank or of several: mean and its error, as
/// shares of the usual time.
struct MeasuredStretch {
  double weight = 0;
  double stretch = 0;
  double variance = 0;  // of the stretch
  double refill = 0;    // seconds

  void add(const PackedRegionRecord& record);
  /// By what share of itself the stretch may be too low.
  [[nodiscard]] double error() const;
};

}  // namespace huddle
