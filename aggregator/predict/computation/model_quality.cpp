#include "aggregator/predict/computation/model_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle::predict {
namespace {

double larger_or_unknown(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}

// Beyond that, a percentage is no figure that anyone reads.
constexpr double kMostPrinted = 100;

std::string error_text(double error) {
  if (error > kMostPrinted) return fmt::format("more than {:.0f} %", kMostPrinted * 100);
  return fmt::format("{:.1f} %", error * 100);
}

}  // namespace

ModelQuality quality_of(const ComputationModel& model) {
  ModelQuality quality;
  for (const FittedModels& fitted : model.fits) {
    const ModelErrors& errors =
        fitted.paper_is_better() ? fitted.paper_errors : fitted.shared_errors;
    quality.mean = larger_or_unknown(quality.mean, errors.mean());
    quality.worst = larger_or_unknown(quality.worst, errors.worst());
  }
  return quality;
}

std::string text_of(const ModelQuality& quality) {
  if (std::isnan(quality.mean) || std::isnan(quality.worst)) return "unknown";
  return fmt::format("{} on average and {} at worst", error_text(quality.mean),
                     error_text(quality.worst));
}

std::string expected_quality() {
  return fmt::format("at most {:.0f} % on average and {:.0f} % at worst", kMostMeanError * 100,
                     kMostWorstError * 100);
}

}  // namespace huddle::predict
