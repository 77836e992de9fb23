#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/forecast_models.hpp"
#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/model_doubt.hpp"
#include "aggregator/forecast/laws/scaling_law.hpp"

namespace huddle {

/// Time or energy of a program at configurations that were not run: the competition of models.
/// Models are fitted when first asked for. May be used by several threads at once.
class TargetForecast {
 public:
  /// What a value is and where it comes from.
  struct Answer {
    Estimate value;
    std::string model;
  };

  /// `values` at `where`, one for each run. `time`: the same runs' times, if the values are
  /// energies and times are known; else empty. Throws Error as gather_samples() does.
  TargetForecast(const std::vector<Configuration>& where, const std::vector<double>& values,
                 const std::vector<double>& time, const ForecastSettings& settings);

  /// `beyond`: the factors that lie outside of what was measured; a gap widens the interval, as a
  /// distance in logarithms to what was measured. Throws Error if a factor that never varied does.
  [[nodiscard]] Answer at(const Configuration& where, const std::array<bool, kFactors>& beyond,
                          double gap) const;

 private:
  struct Learnt {
    BestModel model;
    IntervalWidths widths;
    /// Of the laws that the model is made of, multiplied; empty between measured values.
    std::vector<ModelDoubt> doubts;
  };

  [[nodiscard]] const Learnt& learnt_for(const std::array<bool, kFactors>& beyond) const;
  [[nodiscard]] Learnt learn(const std::array<bool, kFactors>& beyond) const;
  [[nodiscard]] static double half_width(const Learnt& learnt, const Factors& where);
  [[nodiscard]] std::optional<Estimate> measured_at(const Factors& where) const;

  LawSamples samples_;
  std::optional<LawSamples> time_;
  std::optional<LawSamples> power_;
  ForecastSettings settings_;
  /// Of one more measurement where there are repetitions, as logarithm; absent without them.
  std::optional<double> repetition_width_;
  double gap_growth_ = 0;
  mutable std::mutex mutex_;
  /// By the factors beyond; none: between.
  mutable std::map<std::array<bool, kFactors>, Learnt> learnt_;
};

}  // namespace huddle
