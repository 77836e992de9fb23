#include "aggregator/forecast/laws/jackknife.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/forecast/laws/left_out_errors.hpp"

namespace huddle {
namespace {

// So many laws are fitted for a factor at most, to bound the time.
constexpr std::size_t kMostGroups = 12;
constexpr std::size_t kLeastLevels = 3;

// The laws without each group of values of a factor.
std::vector<FittedLaw> laws_without(const LawForm& form, const LawSamples& samples,
                                    std::size_t factor) {
  const std::vector<double>& levels = samples.levels[factor];
  const std::size_t groups = std::min(levels.size(), kMostGroups);
  std::vector<FittedLaw> laws;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto found = std::lower_bound(levels.begin(), levels.end(), samples.where[i][factor]);
      if (static_cast<std::size_t>(found - levels.begin()) % groups != group) kept.push_back(i);
    }
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

}  // namespace

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

}  // namespace huddle
