#include "aggregator/scaling/scaling_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "aggregator/scaling/law_choice.hpp"
#include "aggregator/scaling/law_fits.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// What is assumed where nothing could be left out: beyond two values, the power of a law may be
// off by so much; between them half of that.
constexpr double kUnknownPower = 0.5;
// The final law is fitted to so many times the configurations that forms are compared on.
constexpr std::size_t kFinal = 4;
constexpr double kRoundingError = 1e-9;

// Where a value of a factor lies.
enum class Lies : unsigned char { on, between, above, below };

Lies where_lies(const std::vector<double>& levels, double value) {
  if (value < levels.front() * (1 - kRoundingError)) return Lies::below;
  if (value > levels.back() * (1 + kRoundingError)) return Lies::above;
  const auto next = std::lower_bound(levels.begin(), levels.end(), value * (1 - kRoundingError));
  return *next <= value * (1 + kRoundingError) ? Lies::on : Lies::between;
}

std::vector<LeftOutFold> folds_about(const LawSamples& samples, LeftOut purpose,
                                     const std::array<bool, kFactors>& about) {
  std::vector<LeftOutFold> folds = folds_of(samples, purpose);
  const auto wanted = [&about](const LeftOutFold& fold) {
    return fold.factor == kFactors || about[fold.factor];
  };
  if (std::any_of(folds.begin(), folds.end(), wanted))
    std::erase_if(folds, [&](const LeftOutFold& fold) { return !wanted(fold); });
  return folds;
}

LeftOutErrors fitted_errors(const LawSamples& samples, const Eigen::VectorXd& residuals) {
  LeftOutErrors fitted;
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (const double deviation : samples.deviations[i]) {
      fitted.errors.push_back(residuals[static_cast<Eigen::Index>(i)] + deviation);
      fitted.distances.push_back(0);
    }
  fitted.groups = samples.size();
  return fitted;
}

std::string written(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace

struct ScalingLaw::Fitted {
  std::array<std::vector<double>, kFactors> levels;
  FittedLaw law;
  std::optional<ResidualSurface> surface;
  double median_error = 0;
  // Half widths on logarithms: of what was fitted, and of values left out by factor; NaN if none
  // were.
  double fitted_width = 0;
  std::array<double, kFactors + 1> width{};
  // What each unit of distance beyond adds.
  std::array<double, kFactors> growth_above{};
  std::array<double, kFactors> growth_below{};

  void learn_widths(const LawChoice& choice);
  [[nodiscard]] double half_width(const Factors& where) const;
};

void ScalingLaw::Fitted::learn_widths(const LawChoice& choice) {
  for (std::size_t factor = 0; factor <= kFactors; ++factor) {
    const LeftOutErrors& errors = choice.errors[factor];
    const bool beyond = std::any_of(errors.distances.begin(), errors.distances.end(),
                                    [](double distance) { return distance > 0; });
    width[factor] = errors.errors.empty() || beyond ? std::nan("") : width_between(errors);
    if (factor == kFactors) continue;
    growth_above[factor] = beyond ? growth_beyond(errors, fitted_width) : kUnknownPower;
    const LeftOutErrors& below = choice.below[factor];
    growth_below[factor] = below.errors.empty()
                               ? growth_above[factor]
                               : std::max(growth_above[factor], growth_beyond(below, fitted_width));
  }
}

double ScalingLaw::Fitted::half_width(const Factors& where) const {
  double most = fitted_width;
  double beyond = 0;
  bool new_value = false;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& known = levels[factor];
    const Lies lies = where_lies(known, where[factor]);
    if (lies == Lies::above)
      beyond += growth_above[factor] * std::log(where[factor] / known.back());
    if (lies == Lies::below)
      beyond += growth_below[factor] * std::log(known.front() / where[factor]);
    if (lies != Lies::between) continue;
    new_value = true;
    if (std::isnan(width[factor])) {
      const auto next = std::lower_bound(known.begin(), known.end(), where[factor]);
      const double gap =
          std::min(std::log(*next / where[factor]), std::log(where[factor] / *(next - 1)));
      most += kUnknownPower / 2 * gap;
    } else {
      most = std::max(most, width[factor]);
    }
  }
  if (!new_value && !std::isnan(width[kFactors])) most = std::max(most, width[kFactors]);
  return most + beyond;
}

ScalingLaw::ScalingLaw(std::unique_ptr<const Fitted> fitted) : fitted_(std::move(fitted)) {}
ScalingLaw::ScalingLaw(ScalingLaw&&) noexcept = default;
ScalingLaw& ScalingLaw::operator=(ScalingLaw&&) noexcept = default;
ScalingLaw::~ScalingLaw() = default;

ScalingLaw ScalingLaw::fit(std::span<const Configuration> where, std::span<const double> values,
                           LeftOut purpose) {
  return fit(where, values, purpose, {});
}

ScalingLaw ScalingLaw::fit(std::span<const Configuration> where, std::span<const double> values,
                           LeftOut purpose, const LawSettings& settings) {
  const LawSamples all = gather_samples(where, values);
  const LawSamples compared = thinned(all, settings.configurations);
  const LawChoice choice =
      choose_law(compared, folds_about(compared, purpose, settings.about),
                 {.configurations = settings.configurations, .surface = settings.surface});
  const LawSamples used = thinned(all, kFinal * settings.configurations);
  std::vector<std::size_t> indices(used.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  auto fitted = std::make_unique<Fitted>();
  fitted->levels = all.levels;
  fitted->law = fit_form(choice.form, used, indices);
  fitted->median_error = choice.median_error;
  const Eigen::VectorXd residuals = errors_of(fitted->law, used, indices);
  if (choice.surface)
    fitted->surface.emplace(
        used.logs, std::vector<double>(residuals.data(), residuals.data() + residuals.size()),
        *choice.surface);
  fitted->fitted_width = choice.surface ? 0 : width_between(fitted_errors(used, residuals));
  fitted->learn_widths(choice);
  if (choice.surface)  // what was measured exactly is as uncertain as single configurations are
    for (const double width : fitted->width)
      if (!std::isnan(width))
        fitted->fitted_width =
            fitted->fitted_width > 0 ? std::min(fitted->fitted_width, width) : width;
  return ScalingLaw(std::move(fitted));
}

Estimate ScalingLaw::at(const Configuration& where) const {
  const Factors factors = factors_of(where);
  Factors logs{};
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& known = fitted_->levels[factor];
    if (known.size() == 1 && where_lies(known, factors[factor]) != Lies::on)
      throw Error("all measured rows have " + std::string(factor_name(factor)) + " " +
                  written(known[0]) + ", so nothing tells what " + written(factors[factor]) +
                  " does: measure another value of it, or ask for " + written(known[0]));
    logs[factor] = std::log(factors[factor]);
  }
  double log = fitted_->law.log_at(factors);
  if (fitted_->surface) log += fitted_->surface->at(logs);
  const double half = fitted_->half_width(factors);
  return {std::exp(log), std::exp(log - half), std::exp(log + half)};
}

std::vector<std::string> ScalingLaw::beyond(const Configuration& where) const {
  const Factors factors = factors_of(where);
  std::vector<std::string> names;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const Lies lies = where_lies(fitted_->levels[factor], factors[factor]);
    if (lies == Lies::above || lies == Lies::below) names.emplace_back(factor_name(factor));
  }
  return names;
}

std::string ScalingLaw::formula() const {
  return fitted_->law.formula() + (fitted_->surface ? ", and what was measured nearby" : "");
}

double ScalingLaw::left_out_error() const {
  return fitted_->median_error;
}

}  // namespace huddle
