#include "aggregator/forecast/laws/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace huddle::forecast {
namespace {

// So many folds of a factor at most, to bound the time.
constexpr std::size_t kMostBetween = 6;
constexpr std::size_t kMostBeyond = 4;
constexpr std::size_t kConfigurationFolds = 5;
// A size below the smallest is seldom asked for; from so many values on, it is tried.
constexpr std::size_t kLevelsForBelow = 5;

// Adds the fold if every factor that varies still varies in what stays.
void add(std::vector<LeftOutFold>& folds, const LawSamples& samples, LeftOutFold fold,
         const std::function<bool(std::size_t)>& left_out) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    (left_out(i) ? fold.left_out : fold.training).push_back(i);
  if (fold.left_out.empty() || fold.training.size() < 2) return;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    if (samples.levels[factor].size() < 2) continue;
    const double first = samples.where[fold.training[0]][factor];
    if (std::all_of(fold.training.begin(), fold.training.end(),
                    [&](std::size_t i) { return samples.where[i][factor] == first; }))
      return;
  }
  folds.push_back(std::move(fold));
}

void add_between(std::vector<LeftOutFold>& folds, const LawSamples& samples, std::size_t factor) {
  const std::size_t levels = samples.levels[factor].size();
  if (levels < 3) return;
  const std::size_t count = std::min(levels - 2, kMostBetween);
  for (std::size_t fold = 0; fold < count; ++fold)
    add(folds, samples, {.factor = factor, .training = {}, .left_out = {}}, [&](std::size_t i) {
      const std::size_t level = samples.level_of(i, factor);
      return level > 0 && level + 1 < levels && (level - 1) % count == fold;
    });
}

void add_configurations(std::vector<LeftOutFold>& folds, const LawSamples& samples) {
  const auto varying = std::count_if(samples.levels.begin(), samples.levels.end(),
                                     [](const auto& levels) { return levels.size() > 1; });
  if (varying < 2 || samples.size() < 4) return;
  const std::size_t count = std::min(samples.size(), kConfigurationFolds);
  for (std::size_t fold = 0; fold < count; ++fold)
    // 2654435761 scatters consecutive numbers: a fold is no regular pattern in the grid.
    add(folds, samples, {.training = {}, .left_out = {}}, [&](std::size_t i) {
      return samples.size() <= kConfigurationFolds
                 ? i == fold
                 : ((i * std::uint64_t{2654435761U}) >> 16U) % count == fold;
    });
}

void add_beyond(std::vector<LeftOutFold>& folds, const LawSamples& samples, std::size_t factor) {
  const std::size_t levels = samples.levels[factor].size();
  if (levels < 3) return;
  // Half of the values are left out at most, in a few steps.
  const std::size_t most = std::max<std::size_t>(1, std::min(levels - 2, levels / 2));
  const std::size_t count = std::min(most, kMostBeyond);
  for (std::size_t fold = 0; fold < count; ++fold) {
    const std::size_t gone = 1 + (count > 1 ? fold * (most - 1) / (count - 1) : 0);
    add(folds, samples, {.factor = factor, .beyond = true, .training = {}, .left_out = {}},
        [&](std::size_t i) { return samples.level_of(i, factor) + gone >= levels; });
  }
  if (levels >= kLevelsForBelow)
    add(folds, samples,
        {.factor = factor, .beyond = true, .below = true, .training = {}, .left_out = {}},
        [&](std::size_t i) { return samples.level_of(i, factor) == 0; });
}

constexpr double kIntervalShare = 0.9;

// The smallest of the values that at least 90 % of one more would not exceed.
double conformal_quantile(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::ceil((count + 1) * kIntervalShare));
  const std::size_t index = std::min(rank, values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

double distance_beyond(const LawSamples& samples, const LeftOutFold& fold, std::size_t index) {
  double edge = samples.logs[fold.training[0]][fold.factor];
  for (const std::size_t i : fold.training)
    edge = fold.below ? std::min(edge, samples.logs[i][fold.factor])
                      : std::max(edge, samples.logs[i][fold.factor]);
  return std::abs(samples.logs[index][fold.factor] - edge);
}

void add_measurements(LeftOutErrors& noted, const LawSamples& samples, std::size_t index,
                      double error, double distance) {
  for (const double deviation : samples.deviations[index]) {
    noted.errors.push_back(error + deviation);
    noted.distances.push_back(distance);
  }
}

}  // namespace

std::vector<LeftOutFold> folds_of(const LawSamples& samples, LeftOut purpose) {
  std::vector<LeftOutFold> folds;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    purpose == LeftOut::between ? add_between(folds, samples, factor)
                                : add_beyond(folds, samples, factor);
  if (purpose == LeftOut::between) add_configurations(folds, samples);
  return folds;
}

ErrorsByFactor by_factor(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                         const std::vector<std::vector<double>>& errors) {
  ErrorsByFactor sorted;
  std::map<LeftOutErrors*, std::set<double>> groups;
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const LeftOutFold& out = folds[fold];
    LeftOutErrors& noted = !out.beyond ? sorted.between[out.factor]
                           : out.below ? sorted.below[out.factor]
                                       : sorted.above[out.factor];
    for (std::size_t i = 0; i < out.left_out.size(); ++i) {
      const std::size_t index = out.left_out[i];
      const double distance = out.beyond ? distance_beyond(samples, out, index) : 0;
      add_measurements(noted, samples, index, errors[fold][i], distance);
      groups[&noted].insert(out.factor < kFactors ? samples.where[index][out.factor]
                                                  : static_cast<double>(index));
    }
  }
  for (const auto& [noted, values] : groups) noted->groups = values.size();
  return sorted;
}

LeftOutErrors fitted_errors(const LawSamples& samples, const std::vector<double>& residuals,
                            std::size_t freedom) {
  LeftOutErrors fitted;
  const std::size_t all = samples.size();
  const bool follows = freedom >= all;
  const double larger =
      follows ? 1 : std::sqrt(static_cast<double>(all) / static_cast<double>(all - freedom));
  std::size_t counted = 0;
  for (std::size_t i = 0; i < all; ++i) {
    if (follows && samples.deviations[i].size() < 2) continue;
    add_measurements(fitted, samples, i, larger * residuals[i], 0);
    ++counted;
  }
  fitted.groups = follows ? counted : all - freedom;
  return fitted;
}

double few_groups_factor(std::size_t groups) {
  // 95 % quantiles of Student's distribution with 1, 2, ... degrees of freedom.
  constexpr std::array<double, 10> student = {6.31, 2.92, 2.35, 2.13, 2.02,
                                              1.94, 1.89, 1.86, 1.83, 1.81};
  constexpr double normal = 1.645;
  if (groups == 0) return student[0] / normal;
  if (groups <= student.size()) return student[groups - 1] / normal;
  // The rest of the difference falls as 1 / groups.
  return 1 + (student.back() / normal - 1) * 10 / static_cast<double>(groups);
}

double width_between(const LeftOutErrors& errors) {
  std::vector<double> sizes = errors.errors;
  for (double& size : sizes) size = std::abs(size);
  // The correction for few measurements and that for few groups are for the same: from ten groups
  // on, the quantile sees enough of them.
  const double factor = errors.groups < 10 ? few_groups_factor(errors.groups) : 1;
  return conformal_quantile(std::move(sizes)) * factor;
}

double growth_beyond(const LeftOutErrors& errors, double width) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < errors.errors.size(); ++i)
    slopes.push_back(std::max(std::abs(errors.errors[i]) - width, 0.0) /
                     std::max(errors.distances[i], 1e-3));
  return conformal_quantile(std::move(slopes)) * few_groups_factor(errors.groups);
}

}  // namespace huddle::forecast
