#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/forecast/laws/fitted_law.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/laws/left_out.hpp"

namespace huddle::forecast {

/// Likeness of neighbours: the covariance of a Gaussian process on logarithms of the factors.
struct SurfaceShape {
  /// Over which distance in each factor's logarithm values stay alike; above 0.
  Factors reach{1, 1, 1, 1, 1, 1};
  /// Smooth: Matern's covariance of order 3/2; otherwise 1/2, which follows steps.
  bool smooth = false;
  /// Variance of what is particular to single configurations, over that of what neighbours share.
  double noise = 0.01;

  friend bool operator==(const SurfaceShape&, const SurfaceShape&) = default;
};

/// Residuals of a law, between the samples: a Gaussian process with mean 0 (C. Rasmussen and
/// C. Williams, Gaussian Processes for Machine Learning, 2006), of the nearest samples only, so
/// that thousands are no burden. Far from all samples it is 0: the law alone. Thread-safe once
/// made.
class ResidualSurface {
 public:
  /// `residuals` of the samples with these indices; one at least.
  ResidualSurface(const LawSamples& samples, std::span<const std::size_t> indices,
                  std::vector<double> residuals, SurfaceShape shape);

  [[nodiscard]] double at(const Factors& log) const;

 private:
  std::vector<Factors> logs_;
  std::vector<double> residuals_;
  SurfaceShape shape_;
};

/// A form fitted to samples, with a surface over what it leaves if there is a shape for one.
class LawModel {
 public:
  LawModel() = default;
  LawModel(const LawForm& form, const std::optional<SurfaceShape>& shape, const LawSamples& samples,
           std::span<const std::size_t> indices);

  /// Natural logarithm of the value.
  [[nodiscard]] double log_at(const Factors& where) const;

 private:
  FittedLaw law_;
  std::optional<ResidualSurface> surface_;
};

/// A form that may be the right one as well.
struct RivalForm {
  LawForm form;
  /// Likelihood that it is the right one; those of all rivals add up to 1.
  double weight = 0;
};

/// The form that predicts best what is left out.
struct LawChoice {
  LawForm form;
  /// The form itself first, and others that what was left out does not rule out. Empty if nothing
  /// could be left out.
  std::vector<RivalForm> rivals;
  /// With a surface over what the law leaves, if that is better still.
  std::optional<SurfaceShape> surface;
  ErrorsByFactor errors;
};

/// The typical size of errors: the mean of all but the largest tenth, which may be outliers of the
/// measurement, averaged over the factors that were left out, upwards only. `errors` as in
/// by_factor(). Infinite if there are none.
double score_of(const std::vector<LeftOutFold>& folds,
                const std::vector<std::vector<double>>& errors);

/// The folds for a purpose that are about one of these factors, and those of single configurations;
/// all folds if there are none.
std::vector<LeftOutFold> folds_about(const LawSamples& samples, LeftOut purpose,
                                     const std::array<bool, kFactors>& about);

/// Chooses among forms_for(samples) by what they predict of each fold; the simplest if there are
/// none. `surface`: whether to look for a surface over the residuals where that may help.
LawChoice choose_law(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                     bool surface);

}  // namespace huddle::forecast
