#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/law_choice.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle {

/// The natural logarithm of what is predicted at a configuration. May be called by several threads.
using Predict = std::function<double(const Factors& where)>;

/// A way to predict, not yet fitted. The samples must outlive it and what it returns.
struct ForecastModel {
  /// "forest", "scaling law", ...
  std::string name;
  /// Fits to the samples with these indices.
  std::function<Predict(std::span<const std::size_t> indices)> fit;
  /// How many samples it can go through whatever their noise, as far as that can be counted.
  std::size_t freedom = 0;
};

/// What models are made with.
struct ForecastSettings {
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;
};

/// A law of that form, with the surface of that shape if there is one.
ForecastModel law_model(const LawSamples& samples, LawForm form,
                        std::optional<SurfaceShape> surface);

/// A random forest on the logarithms of the factors, of the logarithm. Between measured values
/// only: beyond them it says what it says at the edge.
ForecastModel forest_model(const LawSamples& samples, const ForecastSettings& settings);

/// A forest on what a law of that form leaves over. Beyond measured values it follows the law.
ForecastModel law_and_forest_model(const LawSamples& samples, LawForm form,
                                   const ForecastSettings& settings);

/// A law of time times a law of power, for energy.
ForecastModel time_and_power_model(const LawSamples& time, const LawChoice& time_law,
                                   const LawSamples& power, const LawChoice& power_law);

/// The model that predicted best what was left out, fitted to all samples.
struct BestModel {
  std::string name;
  Predict predict;
  /// Where it was left out, and at what it was fitted to.
  ErrorsByFactor errors;
  LeftOutErrors fitted;
};

/// Each model is fitted without each fold and asked for what that leaves out. A model wins over
/// those before it if it is clearly better; the first one where there are no folds. Precondition:
/// there is a model, and all are of these samples.
BestModel best_model(const LawSamples& samples, const std::vector<ForecastModel>& models,
                     const std::vector<LeftOutFold>& folds);

}  // namespace huddle
