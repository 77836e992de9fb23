#include "aggregator/forecast/target_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Forms of laws are compared on so many configurations, and models are fitted to so many.
constexpr std::size_t kForLaws = 300;
constexpr std::size_t kForModels = 3000;
// A forest needs some leaves; so many repetitions tell the noise.
constexpr std::size_t kForForests = 10;
constexpr std::size_t kForNoise = 8;
// How much the logarithm may change for each unit of distance where configurations were measured
// around, but none near: an assumption, as nothing tells.
constexpr double kGapGrowth = 0.25;
// The same if two factors varied together only: what one does might as well be the other's doing.
// A power of 1 may be either's, and both are that far off.
constexpr double kGapGrowthTogether = 2;
constexpr double kTogether = 0.95;

LawChoice choose(const LawSamples& samples, LeftOut purpose,
                 const std::array<bool, kFactors>& about) {
  const LawSamples some = thinned(samples, kForLaws);
  return choose_law(some, folds_about(some, purpose, about), true);
}

// The spread of repetitions around their median, corrected for its being made of them.
std::optional<double> repetition_width(const LawSamples& samples) {
  LeftOutErrors errors;
  for (const std::vector<double>& deviations : samples.deviations) {
    if (deviations.size() < 2) continue;
    const auto count = static_cast<double>(deviations.size());
    for (const double deviation : deviations)
      errors.errors.push_back(deviation * std::sqrt((count + 1) / (count - 1)));
    ++errors.groups;
  }
  if (errors.errors.size() < kForNoise) return {};
  return width_between(errors);
}

std::vector<double> quotients(const std::vector<double>& values, const std::vector<double>& over) {
  std::vector<double> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) all[i] = values[i] / over[i];
  return all;
}

// Of the logarithms of two factors in the samples.
double correlation(const LawSamples& samples, std::size_t a, std::size_t b) {
  const auto count = static_cast<double>(samples.size());
  double mean_a = 0;
  double mean_b = 0;
  for (const Factors& logs : samples.logs) {
    mean_a += logs[a] / count;
    mean_b += logs[b] / count;
  }
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (const Factors& logs : samples.logs) {
    both += (logs[a] - mean_a) * (logs[b] - mean_b);
    of_a += (logs[a] - mean_a) * (logs[a] - mean_a);
    of_b += (logs[b] - mean_b) * (logs[b] - mean_b);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0;
}

double gap_growth(const LawSamples& samples) {
  for (std::size_t a = 0; a < kFactors; ++a)
    for (std::size_t b = a + 1; b < kFactors; ++b)
      if (std::abs(correlation(samples, a, b)) > kTogether) return kGapGrowthTogether;
  return kGapGrowth;
}

Estimate around(double log, double half) {
  return {std::exp(log), std::exp(log - half), std::exp(log + half)};
}

void check_known(const LawSamples& samples, const Factors& where) {
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& levels = samples.levels[factor];
    if (levels.size() == 1 && where_lies(levels, where[factor]) != Lies::on)
      throw unknown_dependence(factor, levels[0], where[factor]);
  }
}

}  // namespace

TargetForecast::TargetForecast(const std::vector<Configuration>& where,
                               const std::vector<double>& values, const std::vector<double>& time,
                               const ForecastSettings& settings)
    : samples_(thinned(gather_samples(where, values), kForModels)), settings_(settings) {
  if (!time.empty()) {
    time_ = thinned(gather_samples(where, time), kForModels);
    power_ = thinned(gather_samples(where, quotients(values, time)), kForModels);
  }
  repetition_width_ = repetition_width(samples_);
  gap_growth_ = gap_growth(samples_);
}

TargetForecast::Learnt TargetForecast::learn(const std::array<bool, kFactors>& beyond) const {
  const bool between = std::none_of(beyond.begin(), beyond.end(), [](bool is) { return is; });
  const LeftOut purpose = between ? LeftOut::between : LeftOut::beyond;
  const std::array<bool, kFactors> about =
      between ? std::array<bool, kFactors>{true, true, true, true} : beyond;
  const LawChoice law = choose(samples_, purpose, about);
  std::optional<LawChoice> time_law;
  std::optional<LawChoice> power_law;
  std::vector<ForecastModel> models;
  // First, as power depends on little, and on that smoothly: what time does, energy follows.
  if (time_) {
    time_law = choose(*time_, purpose, about);
    power_law = choose(*power_, purpose, about);
    models.push_back(time_and_power_model(*time_, *time_law, *power_, *power_law));
  }
  models.push_back(law_model(samples_, law.form, law.surface));
  if (samples_.size() >= kForForests) {
    models.push_back(law_and_forest_model(samples_, law.form, settings_));
    if (between) models.push_back(forest_model(samples_, settings_));
  }
  Learnt learnt{best_model(samples_, models, folds_about(samples_, purpose, about)), {}, {}};
  // A surface passes through its samples: their errors tell nothing.
  const bool passes = between && (law.surface || learnt.model.name != "scaling law");
  learnt.widths = IntervalWidths(samples_.levels, learnt.model.errors,
                                 passes ? LeftOutErrors{} : learnt.model.fitted);
  if (between) return learnt;
  if (time_ && learnt.model.name == models[0].name) {
    learnt.doubts.emplace_back(thinned(*time_, kForLaws), *time_law);
    learnt.doubts.emplace_back(thinned(*power_, kForLaws), *power_law);
  } else {
    learnt.doubts.emplace_back(thinned(samples_, kForLaws), law);
  }
  return learnt;
}

// Beyond: what errors of what was left out tell, and no less than what the laws themselves leave
// open. Independent measurement errors of time and power make that of energy.
double TargetForecast::half_width(const Learnt& learnt, const Factors& where) {
  const double told = learnt.widths.half_width(where);
  double squares = 0;
  for (const ModelDoubt& doubt : learnt.doubts) {
    const double half =
        doubt.half_width(where, learnt.widths.measured_width() /
                                    std::sqrt(static_cast<double>(learnt.doubts.size())));
    squares += half * half;
  }
  return std::fmax(told, std::sqrt(squares));
}

const TargetForecast::Learnt& TargetForecast::learnt_for(
    const std::array<bool, kFactors>& beyond) const {
  const std::lock_guard lock(mutex_);
  const auto found = learnt_.find(beyond);
  if (found != learnt_.end()) return found->second;
  return learnt_.emplace(beyond, learn(beyond)).first->second;
}

std::optional<Estimate> TargetForecast::measured_at(const Factors& where) const {
  const auto found = std::lower_bound(samples_.where.begin(), samples_.where.end(), where);
  if (found == samples_.where.end() || *found != where) return {};
  const double log = samples_.values[static_cast<std::size_t>(found - samples_.where.begin())];
  return around(log,
                repetition_width_ ? *repetition_width_ : learnt_for({}).widths.measured_width());
}

TargetForecast::Answer TargetForecast::at(const Configuration& where,
                                          const std::array<bool, kFactors>& beyond,
                                          double gap) const {
  const Factors factors = factors_of(where);
  if (const std::optional<Estimate> measured = measured_at(factors)) return {*measured, "measured"};
  check_known(samples_, factors);
  const Learnt& learnt = learnt_for(beyond);
  const double half = half_width(learnt, factors) + gap_growth_ * gap;
  return {around(learnt.model.predict(factors), half), learnt.model.name};
}

}  // namespace huddle
