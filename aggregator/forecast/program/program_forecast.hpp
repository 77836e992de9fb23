#pragma once

// Forecasts of a program's time and energy at configurations that were not run, with their
// intervals, from measured rows.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// Predictions for a configuration, and the models that made them.
struct ForecastAt {
  Configuration where;
  std::optional<Estimate> time_s;    ///< absent if no time was measured
  std::optional<Estimate> energy_j;  ///< absent if no energy was measured
  /// Rows measured with exactly this configuration, without those of regions inside of others.
  std::size_t measured_rows = 0;
  /// The models that predicted them: "measured", "scaling law", "scaling law x forest", ...
  std::string time_model;
  std::string energy_model;
  /// Factors that lie outside of what was measured.
  std::vector<std::string> beyond;
  /// Where an interval is so wide that it says nothing: why, as words behind the quantity's name,
  /// "can't be predicted from these rows, because ..."; else empty.
  std::string time_not_predicted = {};
  std::string energy_not_predicted = {};
};

/// Predicts time and energy of a program, of all its regions together, for configurations that were
/// not run from those that were: by the scaling laws that predict best what is left out of the
/// rows, between or beyond them as the configuration lies. Immutable; may be used by several
/// threads at once.
class ProgramForecast {
 public:
  /// Repeated rows of one region and configuration are repetitions of one measurement. Rows of
  /// regions inside of others are not added to these. Throws Error, with what to do, if the rows do
  /// not serve.
  static ProgramForecast learn(const MeasurementTable& rows);

  [[nodiscard]] ForecastAt at(const Configuration& where) const;
  /// The configurations that were measured, none twice; ordered.
  [[nodiscard]] const std::vector<Configuration>& measured() const;
  /// Sentences for people about rows that were not used, and why.
  [[nodiscard]] const std::vector<std::string>& remarks() const;

 private:
  struct Learnt;
  explicit ProgramForecast(std::shared_ptr<const Learnt> learnt) : learnt_(std::move(learnt)) {}
  std::shared_ptr<const Learnt> learnt_;
};

}  // namespace huddle::forecast
