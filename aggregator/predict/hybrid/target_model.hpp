#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "aggregator/predict/computation/regression.hpp"
#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "aggregator/predict/hybrid/team_shapes.hpp"

namespace huddle::predict {

/// A training phase as one target sees it.
struct TargetRow {
  std::vector<TeamSample> samples;
  /// Times of the target by shapes that were learnt from other programs.
  LikelyShapes::Spread shapes;
  /// In seconds.
  double log_time = 0;
  /// By program.
  std::size_t fold = 0;
};

/// Rule by which the time of a phase on one target follows from its samples.
enum class TimesMethod : std::uint8_t {
  /// Equations (7) and (8) as they are printed, times in seconds.
  kPublished,
  /// The geometric mean of two whose errors have different causes: (7) and (8) with times in units
  /// of the first sample's, so that phases of all lengths count alike; and what shapes say, times a
  /// factor whose logarithm is linear in the logarithms of the samples' ratios and in their event
  /// rates, which is what is left of (7) once the physics is taken out. The one to use.
  kCombined,
};

/// A regression over phases that were left in.
struct TargetFit {
  enum class Terms : std::uint8_t { kPrinted, kRelative, kCorrection };
  Terms terms = Terms::kPrinted;
  LinearFit fit = {};

  /// The logarithm of the time in seconds.
  [[nodiscard]] double at(std::span<const TeamSample> samples,
                          const LikelyShapes::Spread& shapes) const;
};

struct TargetModel {
  /// The mean of what they say in logarithms is what it says.
  std::vector<TargetFit> parts;
  /// 90 % of phases of programs that were left out err by less than this many scale(spread), in
  /// logarithms.
  double reach = 0;

  /// The logarithm of the time in seconds.
  [[nodiscard]] double at(std::span<const TeamSample> samples,
                          const LikelyShapes::Spread& shapes) const;
};

/// The reach of errors relative to each other: further where the shapes that agree with the
/// samples differ.
double scale(const LikelyShapes::Spread& shapes);

/// Models that training phases give for each target. Those with fewer than three programs or ten
/// rows are left out: there, errors are not known well enough.
std::map<hybrid::TeamConfiguration, TargetModel> fit_targets(
    const std::map<hybrid::TeamConfiguration, std::vector<TargetRow>>& rows_of, TimesMethod method);

}  // namespace huddle::predict
