#include "aggregator/forecast/laws/scaling_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/law_choice.hpp"
#include "aggregator/forecast/laws/law_fits.hpp"
#include "aggregator/forecast/laws/model_doubt.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// The final law is fitted to so many times the configurations that forms are compared on.
constexpr std::size_t kFinal = 4;

}  // namespace

struct ScalingLaw::Fitted {
  FittedLaw law;
  std::optional<ResidualSurface> surface;
  double median_error = 0;
  IntervalWidths widths;
  // Where laws are for what lies beyond.
  std::optional<ModelDoubt> doubt;
};

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
      choose_law(compared, folds_about(compared, purpose, settings.about), settings.surface);
  const LawSamples used = thinned(all, kFinal * settings.configurations);
  std::vector<std::size_t> indices(used.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  auto fitted = std::make_unique<Fitted>();
  fitted->law = fit_form(choice.form, used, indices);
  fitted->median_error = median_error(choice.errors);
  const Eigen::VectorXd errors = errors_of(fitted->law, used, indices);
  std::vector<double> residuals(errors.data(), errors.data() + errors.size());
  fitted->widths = IntervalWidths(
      all.levels, choice.errors,
      choice.surface ? LeftOutErrors{} : fitted_errors(used, residuals, choice.form.freedom(used)));
  if (purpose == LeftOut::beyond) fitted->doubt.emplace(compared, choice);
  if (choice.surface) fitted->surface.emplace(used.logs, std::move(residuals), *choice.surface);
  return ScalingLaw(std::move(fitted));
}

Estimate ScalingLaw::at(const Configuration& where) const {
  const Factors factors = factors_of(where);
  Factors logs{};
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& known = fitted_->widths.levels()[factor];
    if (known.size() == 1 && where_lies(known, factors[factor]) != Lies::on)
      throw unknown_dependence(factor, known[0], factors[factor]);
    logs[factor] = std::log(factors[factor]);
  }
  double log = fitted_->law.log_at(factors);
  if (fitted_->surface) log += fitted_->surface->at(logs);
  double half = fitted_->widths.half_width(factors);
  if (fitted_->doubt)
    half = std::fmax(half, fitted_->doubt->half_width(factors, fitted_->widths.measured_width()));
  return {std::exp(log), std::exp(log - half), std::exp(log + half)};
}

double ScalingLaw::smooth_at(const Configuration& where) const {
  return std::exp(fitted_->law.log_at(factors_of(where)));
}

std::vector<std::string> ScalingLaw::beyond(const Configuration& where) const {
  const Factors factors = factors_of(where);
  std::vector<std::string> names;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const Lies lies = where_lies(fitted_->widths.levels()[factor], factors[factor]);
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
