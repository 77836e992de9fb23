#include "aggregator/forecast/laws/model_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "aggregator/forecast/laws/interval_widths.hpp"

namespace huddle {
namespace {

constexpr double kShare = 0.9;
// The normal distribution's: 9 of 10 are not farther off.
constexpr double kNormal = 1.645;
// Of two values a law can go through both whatever it is.
constexpr std::size_t kLeastLevels = 3;

double below(double value, double deviation) {
  return std::erfc(-value / deviation / std::numbers::sqrt2) / 2;
}

}  // namespace

ModelDoubt::ModelDoubt(const LawSamples& samples, const LawChoice& choice)
    : levels_(samples.levels), jackknife_(choice.form, samples) {
  std::vector<std::size_t> all(samples.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const RivalForm& rival : choice.rivals)
    rivals_.push_back({fit_form(rival.form, samples, all), rival.weight});
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

}  // namespace huddle
