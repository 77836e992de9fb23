#pragma once

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// The uncertainty of a rank's time inside MPI.
struct SampledCalls {
  /// Time that was estimated, from calls that stand for others.
  Seconds estimated;
  /// The estimate's standard error.
  Seconds error;
};

/// The recorder times calls within a budget and draws from the rest, and a drawn call stands for
/// 128 (Horvitz and Thompson's estimator; profiles/recorder/process/clocks.hpp). A profile has no
/// variances of calls: they are taken to be as long, and as different from each other, as random
/// arrivals are (standard deviation = mean).
SampledCalls sampled_calls_of(const RankRecord& record);

}  // namespace huddle::efficiency
