#include "aggregator/predict/computation/frequency_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/predict/computation/shared_model.hpp"

namespace huddle {
namespace {

constexpr double kIpcOfBusyCores = 1;    // assumed: low, so that little counts as waiting
constexpr double kSecondsOfMiss = 1e-7;  // assumed: a load from the far memory of a node

// Of one sample of a group; `log_misses` as in CurvePoint.
Seconds waiting_for_memory(const PhaseSample& sample, std::optional<double> log_misses) {
  const std::optional<double> ipc = sample.ipc();
  if (!ipc) return Seconds{0};
  const Seconds idle = sample.time * std::max(1 - *ipc / kIpcOfBusyCores, 0.0);
  if (!log_misses) return idle;
  return std::min(idle, Seconds{std::exp(*log_misses) * kSecondsOfMiss});
}

}  // namespace

Stretch stretch_of(Seconds core, Seconds all, double core_slowdown) {
  const double share = std::clamp(core / all, 0.0, 1.0);
  return {1 + share * (core_slowdown - 1), 0};
}

std::optional<Seconds> core_time_by_frequencies(const std::vector<FrequencySample>& samples) {
  struct Mean {
    double slowdown = 0;
    double time = 0;
    double count = 0;
  };
  std::map<std::string, Mean> means;
  for (const FrequencySample& sample : samples) {
    Mean& mean = means[sample.pattern];
    mean.slowdown += sample.core_slowdown;
    mean.time += sample.time.value;
    ++mean.count;
  }
  double covariance = 0;
  double variance = 0;
  for (const FrequencySample& sample : samples) {
    const Mean& mean = means[sample.pattern];
    const double apart = sample.core_slowdown - mean.slowdown / mean.count;
    covariance += apart * (sample.time.value - mean.time / mean.count);
    variance += apart * apart;
  }
  constexpr double kLeastApart = 0.01;
  if (variance < kLeastApart * kLeastApart) return std::nullopt;
  return Seconds{std::max(covariance / variance, 0.0)};
}

std::optional<Seconds> core_time_by_ipc(const ProgramSamples& samples) {
  bool any = false;
  Seconds core;
  for (const PhaseGroupSamples& group : samples.groups) {
    const Curve curve = curve_of(group);
    Seconds of_group;
    for (std::size_t i = 0; i < group.samples.size(); ++i) {
      const PhaseSample& sample = group.samples[i];
      any = any || sample.ipc();
      of_group = std::max(of_group, sample.time - waiting_for_memory(sample, curve[i].log_misses));
    }
    core += of_group;
  }
  if (!any) return std::nullopt;
  return core;
}

}  // namespace huddle
