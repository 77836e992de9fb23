#include "aggregator/forecast/laws/interval_widths.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

namespace huddle {
namespace {

// What is assumed where nothing could be left out: beyond two values, the power of a law may be
// off by so much; between them by half of that.
constexpr double kUnknownPower = 0.5;
constexpr double kRoundingError = 1e-9;

std::string written(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

Lies where_lies(const std::vector<double>& levels, double value) {
  if (value < levels.front() * (1 - kRoundingError)) return Lies::below;
  if (value > levels.back() * (1 + kRoundingError)) return Lies::above;
  const auto next = std::lower_bound(levels.begin(), levels.end(), value * (1 - kRoundingError));
  return *next <= value * (1 + kRoundingError) ? Lies::on : Lies::between;
}

Error unknown_dependence(std::size_t factor, double known, double asked) {
  return Error("all measured rows have " + std::string(factor_name(factor)) + " " + written(known) +
               ", so nothing tells what " + written(asked) +
               " does: measure another value of it, or ask for " + written(known));
}

IntervalWidths::IntervalWidths(Levels levels, const ErrorsByFactor& left_out,
                               const LeftOutErrors& fitted)
    : levels_(std::move(levels)) {
  double least = std::nan("");
  for (std::size_t factor = 0; factor <= kFactors; ++factor) {
    const LeftOutErrors& errors = left_out.between[factor];
    between_[factor] = errors.errors.empty() ? std::nan("") : width_between(errors);
    least = std::fmin(least, between_[factor]);
  }
  if (!fitted.errors.empty()) least = width_between(fitted);
  fitted_ = std::isnan(least) ? kUnknownPower / 2 : least;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const LeftOutErrors& above = left_out.above[factor];
    const LeftOutErrors& below = left_out.below[factor];
    above_[factor] = above.errors.empty() ? kUnknownPower : growth_beyond(above, fitted_);
    below_[factor] = above_[factor];
    if (!below.errors.empty())
      below_[factor] = std::max(below_[factor], growth_beyond(below, fitted_));
  }
}

double IntervalWidths::width_between_levels(std::size_t factor, double value) const {
  if (!std::isnan(between_[factor])) return std::max(fitted_, between_[factor]);
  const std::vector<double>& levels = levels_[factor];
  const auto next = std::lower_bound(levels.begin(), levels.end(), value);
  const double gap = std::min(std::log(*next / value), std::log(value / *(next - 1)));
  return fitted_ + kUnknownPower / 2 * gap;
}

double IntervalWidths::half_width(const Factors& where) const {
  double most = fitted_;
  double beyond = 0;
  bool known_values = true;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& levels = levels_[factor];
    const double value = where[factor];
    const Lies lies = where_lies(levels, value);
    if (lies == Lies::above) beyond += above_[factor] * std::log(value / levels.back());
    if (lies == Lies::below) beyond += below_[factor] * std::log(levels.front() / value);
    if (lies == Lies::between) most = std::max(most, width_between_levels(factor, value));
    known_values = known_values && lies == Lies::on;
  }
  if (known_values && !std::isnan(between_[kFactors])) most = std::max(most, between_[kFactors]);
  return most + beyond;
}

}  // namespace huddle
