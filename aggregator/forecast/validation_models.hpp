#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/forecast_models.hpp"
#include "aggregator/forecast/validation_rows.hpp"

namespace huddle {

/// What a model predicts of a split's test rows, in their order.
struct Predicted {
  /// As in ValidationResult.
  std::string model;
  /// Intervals of 90 %; NaN for a model without.
  std::vector<Estimate> values;
};

/// All models, learnt from the split's training rows: "forest", "linear regression", "scaling law",
/// "scaling law x forest". They know the region and the four factors, nothing that a run must be
/// made for. `factor`: the one whose values are held out, if they are.
std::vector<Predicted> predict(const ValidationRows& rows, const Split& split, std::size_t factor,
                               const ForecastSettings& settings);

}  // namespace huddle
