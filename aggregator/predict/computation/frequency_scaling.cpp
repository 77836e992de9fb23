#include "aggregator/predict/computation/frequency_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "aggregator/predict/computation/shared_model.hpp"
#include "profiles/formats/profile/event_counts.hpp"

namespace huddle::predict {
namespace {

constexpr double kNominalWithin = 0.1;  // cycles of user space only fall short by as much at most
constexpr double kNanosecond = 1e-9;

std::optional<double> total_of(const RankRecord& record, std::string_view event) {
  return count_of(record.events, record.event_totals, event);
}

std::optional<double> seconds_on_cores(const RankRecord& record) {
  if (const std::optional<double> clock = total_of(record, "task-clock"))
    return *clock * kNanosecond;
  if (record.cpu_time) return record.cpu_time->value;
  return std::nullopt;
}

}  // namespace

std::optional<Hertz> effective_frequency(const Profile& profile) {
  double cycles = 0;
  double seconds = 0;
  for (const RankRecord& record : profile.rank_records) {
    const std::optional<double> of_rank = total_of(record, "cycles");
    const std::optional<double> on_cores = seconds_on_cores(record);
    if (!of_rank || !on_cores) continue;
    cycles += *of_rank;
    seconds += *on_cores;
  }
  if (!(cycles > 0) || !(seconds > 0)) return std::nullopt;
  return Hertz{cycles / seconds};
}

Hertz settable_frequency_of(const Profile& profile, const Frequencies& frequencies) {
  const std::optional<Hertz> effective = effective_frequency(profile);
  const auto distance = [&](Hertz frequency) { return std::abs((*effective - frequency).value); };
  if (!effective || distance(frequencies.nominal) < kNominalWithin * frequencies.nominal.value)
    return frequencies.nominal;
  return *std::min_element(frequencies.settable.begin(), frequencies.settable.end(),
                           [&](Hertz a, Hertz b) { return distance(a) < distance(b); });
}

namespace {

constexpr double kIpcOfBusyCores = 1;    // assumed: low, so that little counts as waiting
constexpr double kSecondsOfMiss = 1e-7;  // assumed: a load from the far memory of a node

// Returns the time that one sample of a group waited for memory; `log_misses` as in CurvePoint.
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
    const Curve curve = curve_of(group, counts_misses(samples));
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

}  // namespace huddle::predict
