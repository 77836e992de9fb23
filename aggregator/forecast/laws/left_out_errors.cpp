#include "aggregator/forecast/laws/left_out_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace huddle {
namespace {

constexpr double kShare = 0.9;

// The smallest of the values that at least 90 % of one more would not exceed.
double conformal_quantile(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::ceil((count + 1) * kShare));
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
  std::size_t told = 0;
  for (std::size_t i = 0; i < all; ++i) {
    if (follows && samples.deviations[i].size() < 2) continue;
    add_measurements(fitted, samples, i, larger * residuals[i], 0);
    ++told;
  }
  fitted.groups = follows ? told : all - freedom;
  return fitted;
}

double median_error(const ErrorsByFactor& errors) {
  std::vector<double> sizes;
  const auto add = [&sizes](const LeftOutErrors& some) {
    for (const double error : some.errors) sizes.push_back(std::abs(std::expm1(-error)));
  };
  for (const LeftOutErrors& some : errors.between) add(some);
  for (const LeftOutErrors& some : errors.above) add(some);
  return sizes.empty() ? std::numeric_limits<double>::quiet_NaN() : median_of(std::move(sizes));
}

double few_groups_factor(std::size_t groups) {
  // 95 % quantiles of Student's distribution with 1, 2, ... degrees of freedom.
  constexpr std::array<double, 10> student = {6.31, 2.92, 2.35, 2.13, 2.02,
                                              1.94, 1.89, 1.86, 1.83, 1.81};
  constexpr double normal = 1.645;
  if (groups == 0) return student[0] / normal;
  if (groups <= student.size()) return student[groups - 1] / normal;
  // What is left of the difference falls as 1 / groups.
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

}  // namespace huddle
