#include "aggregator/predict/computation/shared_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace huddle::predict {
namespace {

constexpr std::array<const char*, 4> kMissEvents = {"cache-misses", "LLC-load-misses", "LLC-misses",
                                                    "L3-misses"};

}  // namespace

Curve curve_of(const PhaseGroupSamples& group, bool counter_counts) {
  constexpr double kLessThanOne = 0.5;
  Curve curve;
  for (const PhaseSample& sample : group.samples) {
    CurvePoint point{
        sharing_of(sample.pattern), std::log(sample.time.value), sample.relative_error, {}};
    for (const char* event : kMissEvents) {
      const auto found = sample.counts.find(event);
      if (found == sample.counts.end()) continue;
      if (found->second > 0) {
        point.log_misses = std::log(found->second);
        break;
      }
      if (counter_counts) point.log_misses = std::log(kLessThanOne);
    }
    curve.push_back(point);
  }
  return curve;
}

bool counts_misses(const ProgramSamples& program) {
  for (const PhaseGroupSamples& group : program.groups)
    for (const PhaseSample& sample : group.samples)
      for (const char* event : kMissEvents)
        if (const auto found = sample.counts.find(event);
            found != sample.counts.end() && found->second > 0)
          return true;
  return false;
}

SharedPrediction::SharedPrediction(const SharedModel& model, const ProgramSamples& samples)
    : model_(model), doubt_(samples.doubt) {
  for (const PhaseGroupSamples& group : samples.groups) {
    const Curve curve = curve_of(group, counts_misses(samples));
    std::vector<DemandPosterior>& shapes = groups_.emplace_back();
    for (const ContentionModel& shape : model.shapes) shapes.emplace_back(shape, curve);
  }
}

PredictedTime SharedPrediction::by_shape(std::size_t shape, const Sharing& sharing) const {
  PredictedTime sum;
  double error = 0;  // of the groups of one program alike: they err together
  for (const auto& shapes : groups_) {
    const LogTime log_time = shapes[shape].on(sharing);
    const double time = std::exp(log_time.mean);
    sum.time += Seconds{time};
    error += time * std::sqrt(log_time.variance);
  }
  sum.relative_error = error / sum.time.value;
  return sum;
}

PredictedTime SharedPrediction::on(const Sharing& sharing) const {
  double mean = 0;
  std::vector<std::pair<double, double>> logs;  // mean and variance, by shape
  for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
    if (model_.weights[i] <= 0) {
      logs.emplace_back();
      continue;
    }
    const PredictedTime predicted = by_shape(i, sharing);
    logs.emplace_back(std::log(predicted.time.value),
                      predicted.relative_error * predicted.relative_error);
    mean += model_.weights[i] * logs.back().first;
  }
  double variance = 0;
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (model_.weights[i] > 0)
      variance += model_.weights[i] * (logs[i].second + std::pow(logs[i].first - mean, 2));
  return {{std::exp(mean)}, std::sqrt(variance) * model_.widening * doubt_};
}

Stretch SharedPrediction::stretch_by_shape(std::size_t shape, const Sharing& sharing,
                                           double core_slowdown) const {
  Stretch of_all{0, 0};  // of the groups of one program alike: they err together
  double time = 0;
  for (const auto& shapes : groups_) {
    const StretchedTime of_group = shapes[shape].stretch(sharing, core_slowdown);
    time += of_group.time;
    of_all.mean += of_group.time * of_group.stretch.mean;
    of_all.deviation += of_group.time * of_group.stretch.deviation;
  }
  return {of_all.mean / time, of_all.deviation / time};
}

Stretch SharedPrediction::stretch(const Sharing& sharing, double core_slowdown) const {
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
    if (model_.weights[i] <= 0) continue;
    const Stretch stretch = stretch_by_shape(i, sharing, core_slowdown);
    mean += model_.weights[i] * stretch.mean;
    squares +=
        model_.weights[i] * (stretch.mean * stretch.mean + stretch.deviation * stretch.deviation);
  }
  return {mean, std::sqrt(std::max(squares - mean * mean, 0.0))};
}

double SharedPrediction::misfit() const {
  return worst_group(&DemandPosterior::misfit);
}

double SharedPrediction::unexplained() const {
  return worst_group(&DemandPosterior::unexplained);
}

double SharedPrediction::worst_group(double (DemandPosterior::*figure)() const) const {
  double worst = 0;
  for (const auto& shapes : groups_) {
    double mean = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      mean += model_.weights[i] * (shapes[i].*figure)();
    worst = std::max(worst, mean);
  }
  return worst;
}

}  // namespace huddle::predict
