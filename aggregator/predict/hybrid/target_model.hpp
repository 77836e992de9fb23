#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "aggregator/predict/computation/regression.hpp"
#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "aggregator/predict/hybrid/team_shapes.hpp"
#include "aggregator/predict/hybrid/times_method.hpp"

namespace huddle {

/// A training phase as one target sees it.
struct TargetRow {
  std::vector<TeamSample> samples;
  /// What shapes that were learnt from other programs say of the target.
  LikelyShapes::Spread shapes;
  /// In seconds.
  double log_time = 0;
  /// By program.
  std::size_t fold = 0;
};

struct TargetModel {
  TimesMethod method = TimesMethod::kShapes;
  /// What the method rests on: the mean of what they say in logarithms is what it says.
  struct Part {
    TimesMethod method = TimesMethod::kShapes;
    /// Without coefficients for kShapes.
    LinearFit fit;

    /// The logarithm of the time in seconds.
    [[nodiscard]] double at(std::span<const TeamSample> samples,
                            const LikelyShapes::Spread& shapes) const;
  };
  std::vector<Part> parts;
  /// 90 % of phases of programs that were left out err by less than this many scale(spread), in
  /// logarithms.
  double reach = 0;
  /// Mean of these errors, in logarithms.
  double left_out_error = 0;

  /// The logarithm of the time in seconds.
  [[nodiscard]] double at(std::span<const TeamSample> samples,
                          const LikelyShapes::Spread& shapes) const;
};

/// How far errors may reach relative to each other: further where the shapes that agree with the
/// samples differ.
double scale(const LikelyShapes::Spread& shapes);

/// What training phases teach of each target, by the one method that errs least on programs that
/// are left out, over all targets together, or by `only`. Targets with fewer than three programs or
/// ten rows are left out: there, errors are not known well enough.
std::map<TeamConfiguration, TargetModel> fit_targets(
    const std::map<TeamConfiguration, std::vector<TargetRow>>& rows_of,
    std::optional<TimesMethod> only);

}  // namespace huddle
