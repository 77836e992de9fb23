#include "aggregator/forecast/laws/interval_widths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include "aggregator/forecast/laws/left_out.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

// Assumption where nothing could be left out: beyond two values, the power of a law may be
// off by so much; between them by half of that.
constexpr double kUnknownPower = 0.5;
constexpr double kRoundingError = 1e-9;

// So many laws are fitted for a factor at most, to bound the time.
constexpr std::size_t kMostGroups = 12;
// Any law can be made to go through two values.
constexpr std::size_t kLeastLevels = 3;

// The laws without each group of values of a factor.
std::vector<FittedLaw> laws_without(const LawForm& form, const LawSamples& samples,
                                    std::size_t factor) {
  const std::size_t groups = std::min(samples.levels[factor].size(), kMostGroups);
  std::vector<FittedLaw> laws;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (samples.level_of(i, factor) % groups != group) kept.push_back(i);
    laws.push_back(fit_form(form, samples, kept));
  }
  return laws;
}

double deviation_of(const std::vector<FittedLaw>& laws, const Factors& where) {
  const auto count = static_cast<double>(laws.size());
  std::vector<double> logs;
  double mean = 0;
  for (const FittedLaw& law : laws) {
    logs.push_back(law.log_at(where));
    mean += logs.back() / count;
  }
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  return std::sqrt((count - 1) / count * squares) * few_groups_factor(laws.size() - 1);
}

constexpr double kShare = 0.9;
// The normal distribution's: 9 of 10 are not farther off.
constexpr double kNormal = 1.645;
double below(double value, double deviation) {
  return std::erfc(-value / deviation / std::numbers::sqrt2) / 2;
}

}  // namespace

Lies where_lies(const std::vector<double>& levels, double value) {
  if (value < levels.front() * (1 - kRoundingError)) return Lies::below;
  if (value > levels.back() * (1 + kRoundingError)) return Lies::above;
  const auto next = std::lower_bound(levels.begin(), levels.end(), value * (1 - kRoundingError));
  return *next <= value * (1 + kRoundingError) ? Lies::on : Lies::between;
}

void check_known(const Levels& levels, const Factors& where) {
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& known = levels[factor];
    if (known.size() == 1 && where_lies(known, where[factor]) != Lies::on)
      throw Error(fmt::format(
          "all measured rows have {} {:g}, so the effect of {:g} is unknown: measure another value "
          "of it, or ask for {:g}",
          factor_name(factor), known[0], where[factor], known[0]));
  }
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

Jackknife::Jackknife(const LawForm& form, const LawSamples& samples) {
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (samples.levels[factor].size() >= kLeastLevels)
      without_.push_back(laws_without(form, samples, factor));
}

double Jackknife::deviation_at(const Factors& where) const {
  double most = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<FittedLaw>& laws : without_)
    most = std::fmax(most, deviation_of(laws, where));
  return most;
}

ModelDoubt::ModelDoubt(const LawSamples& samples, const LawChoice& choice)
    : levels_(samples.levels), jackknife_(choice.form, samples) {
  for (const RivalForm& rival : choice.rivals)
    rivals_.push_back({fit_form(rival.form, samples, samples.indices()), rival.weight});
}

bool ModelDoubt::tells_at(const Factors& where) const {
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const Lies lies = where_lies(levels_[factor], where[factor]);
    if ((lies == Lies::above || lies == Lies::below) && levels_[factor].size() < kLeastLevels)
      return false;
  }
  return !rivals_.empty();
}

double ModelDoubt::half_width(const Factors& where, double noise) const {
  const double unsure = jackknife_.deviation_at(where);
  if (!tells_at(where) || std::isnan(unsure)) return std::numeric_limits<double>::quiet_NaN();
  const double deviation = std::max(std::hypot(noise / kNormal, unsure), 1e-12);
  const double middle = rivals_[0].law.log_at(where);
  std::vector<double> offsets;
  double most = 0;
  for (const Rival& rival : rivals_) {
    offsets.push_back(rival.law.log_at(where) - middle);
    most = std::max(most, std::abs(offsets.back()));
  }
  double low = 0;
  double high = most + 10 * deviation;
  for (int step = 0; step < 60; ++step) {
    const double half = (low + high) / 2;
    double inside = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i)
      inside += rivals_[i].weight *
                (below(half - offsets[i], deviation) - below(-half - offsets[i], deviation));
    (inside < kShare ? low : high) = half;
  }
  return high;
}

}  // namespace huddle::forecast
