#pragma once

// The models for one target, time or energy, and the competition on left-out measurements that
// decides which of them predicts.

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/law_choice.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/program/detail/more_cores.hpp"

namespace huddle::forecast {

/// The natural logarithm of what is predicted at a configuration. May be called by several threads.
using Predict = std::function<double(const Factors& where)>;

/// The model that predicted best what was left out, fitted to all samples.
struct BestModel {
  std::string name;
  Predict predict;
  /// Where it was left out, and at what it was fitted to.
  ErrorsByFactor errors;
  LeftOutErrors fitted;
};

/// Predicts the time or the energy of a program at configurations that were not run, by the model
/// that wins a competition on measurements left out. Models are fitted when they are first asked
/// for. May be used by several threads at once.
class TargetForecast {
 public:
  /// A predicted value and the name of the model that predicted it.
  struct Answer {
    Estimate value;
    std::string model;
    /// Why the interval says nothing, for people; empty if it does.
    std::string why_not;
  };

  /// `values` at `where`, one for each run. `time`: the same runs' times, if the values are
  /// energies and times are known; else empty. Throws Error as gather_samples() does.
  TargetForecast(ForecastTarget target, const std::vector<Configuration>& where,
                 const std::vector<double>& values, const std::vector<double>& time);

  /// `beyond`: the factors that lie outside of what was measured. `gap`: the distance, as a
  /// logarithm, to measured combinations of factors; it widens the interval. Throws Error if a
  /// factor that never varied has another value.
  [[nodiscard]] Answer at(const Configuration& where, const std::array<bool, kFactors>& beyond,
                          double gap) const;

 private:
  struct Learnt {
    BestModel model;
    IntervalWidths widths;
    /// Doubts of the laws that the model is made of, multiplied; empty between measured values.
    std::vector<ModelDoubt> doubts;
  };

  [[nodiscard]] const Learnt& learnt_for(const std::array<bool, kFactors>& beyond) const;
  [[nodiscard]] Learnt learn(const std::array<bool, kFactors>& beyond) const;
  [[nodiscard]] static double half_width(const Learnt& learnt, const Factors& where);
  [[nodiscard]] std::optional<Estimate> measured_at(const Factors& where) const;

  ForecastTarget target_ = ForecastTarget::time;
  LawSamples samples_;
  std::optional<LawSamples> time_;
  std::optional<LawSamples> power_;
  /// Width of one more measurement where there are repetitions, as logarithm; absent without them.
  std::optional<double> repetition_width_;
  double gap_growth_ = 0;
  /// The factors that grew with the size.
  std::array<bool, kFactors> with_size_{};
  mutable std::mutex mutex_;
  /// Indexed by the factors beyond; none: between.
  mutable std::map<std::array<bool, kFactors>, Learnt> learnt_;
};

}  // namespace huddle::forecast
