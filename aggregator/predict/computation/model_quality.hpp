#pragma once

// The errors up to which a model may be planned by: the one place where that is stated.

#include <string>

#include "aggregator/predict/computation/training.hpp"

namespace huddle::predict {

/// The largest mean and worst error on programs left out of training that a model may have, as a
/// share of the measured time, for jobs to be planned by it.
///
/// Models of whole nodes err by 0.4 to 2.1 % on average and by 16 % at worst on programs that they
/// have not seen (docs/evaluation.md). The poorest that still ranked programs rightly was made
/// without counters on two cores that others used as well: 10 % and 35 to 40 %
/// (docs/benchmarks.md). The limits are one and a half times that. Models beyond them came from
/// runs that were too short or disturbed (39 % on average), and predicted times with intervals over
/// many powers of ten.
inline constexpr double kMostMeanError = 0.15;
inline constexpr double kMostWorstError = 0.6;

/// The errors of a model on programs that were left out of training, by its default method. Of the
/// fit that errs most: which one a program gets depends on whether it has hardware events.
struct ModelQuality {
  /// Shares of the measured time; NaN if no program was left out.
  double mean = 0;
  double worst = 0;

  /// True if jobs may be planned by the model.
  [[nodiscard]] bool acceptable() const {
    return mean <= kMostMeanError && worst <= kMostWorstError;
  }
};

ModelQuality quality_of(const ComputationModel& model);

/// "1.2 % on average and 9.0 % at worst"; "unknown" where no program was left out.
std::string text_of(const ModelQuality& quality);

/// The expected quality, in the same words: "at most 15 % on average and 60 % at worst".
std::string expected_quality();

}  // namespace huddle::predict
