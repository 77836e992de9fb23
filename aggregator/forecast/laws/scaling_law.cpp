#include "aggregator/forecast/laws/scaling_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "aggregator/forecast/laws/fitted_law.hpp"
#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/law_choice.hpp"

namespace huddle {
namespace {

// The final law is fitted to so many times the configurations that forms are compared on.
constexpr std::size_t kFinal = 4;

}  // namespace

struct ScalingLaw::Fitted {
  LawModel law;
  IntervalWidths widths;
  // Of laws that extrapolate.
  std::optional<ModelDoubt> doubt;
};

ScalingLaw ScalingLaw::fit(std::span<const Configuration> where, std::span<const double> values,
                           LeftOut purpose, const LawSettings& settings) {
  const LawSamples all = gather_samples(where, values);
  const LawSamples compared = thinned(all, settings.configurations);
  const LawChoice choice =
      choose_law(compared, folds_about(compared, purpose, settings.about), settings.surface);
  const LawSamples used = thinned(all, kFinal * settings.configurations);
  auto fitted = std::make_shared<Fitted>();
  std::vector<double> residuals;
  fitted->law = LawModel(choice.form, choice.surface, used, used.indices(), &residuals);
  fitted->widths = IntervalWidths(
      all.levels, choice.errors,
      choice.surface ? LeftOutErrors{} : fitted_errors(used, residuals, choice.form.freedom(used)));
  if (purpose == LeftOut::beyond) fitted->doubt.emplace(compared, choice);
  return ScalingLaw(std::move(fitted));
}

Estimate ScalingLaw::at(const Configuration& where) const {
  const Factors factors = factors_of(where);
  check_known(fitted_->widths.levels(), factors);
  const double log = fitted_->law.log_at(factors);
  double half = fitted_->widths.half_width(factors);
  if (fitted_->doubt)
    half = std::fmax(half, fitted_->doubt->half_width(factors, fitted_->widths.measured_width()));
  return {std::exp(log), std::exp(log - half), std::exp(log + half)};
}

double ScalingLaw::smooth_at(const Configuration& where) const {
  return std::exp(fitted_->law.formula_log_at(factors_of(where)));
}

}  // namespace huddle
