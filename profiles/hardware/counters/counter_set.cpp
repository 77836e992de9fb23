#include "profiles/hardware/counters/counter_set.hpp"

#include <errno.h>

namespace huddle::counters {
namespace {

std::uint64_t value_of(ProcessCount count, const ProcessUsage& usage, std::uint64_t cpu_time) {
  switch (count) {
    case ProcessCount::kTaskClock:
      return cpu_time;
    case ProcessCount::kPageFaults:
      return usage.minor_faults + usage.major_faults;
    case ProcessCount::kMinorFaults:
      return usage.minor_faults;
    case ProcessCount::kMajorFaults:
      return usage.major_faults;
    case ProcessCount::kContextSwitches:
      return usage.context_switches;
  }
  return 0;
}

bool is_lost(const Tally& tally, std::uint32_t place) {
  return (tally.lost >> place & 1U) != 0;
}

}  // namespace

void CounterSet::read(Reading& reading) const noexcept {
  const int kept = errno;
  reading.size = static_cast<std::uint32_t>(counted_.size());
  reading.lost = 0;
  for (std::uint32_t i = 0; i < reading.size; ++i) reading.samples[i] = {};
  for (const EventGroup& group : groups_) group.read(reading);
  ProcessUsage usage;
  if (wants_usage_) calls_.usage(calls_.context, &usage);
  const std::uint64_t cpu_time = wants_clock_ ? calls_.cpu_time(calls_.context) : 0;
  for (std::uint32_t i = 0; i < reading.size; ++i)
    if (counted_[i].source == Source::kProcess)
      reading.samples[i].value = value_of(counted_[i].count, usage, cpu_time);
  errno = kept;
}

std::optional<double> CounterSet::count(const Tally& tally, std::uint32_t place) const {
  if (place >= tally.size || is_lost(tally, place)) return std::nullopt;
  const Sample& sample = tally.samples[place];
  const auto value = static_cast<double>(sample.value);
  if (sample.enabled_ns == 0) return value;  // always counted, or no thread ran
  if (counted_[place].kinds.empty()) {
    if (sample.running_ns == 0) return std::nullopt;
    return value;
  }
  double running_ns = 0;
  for (const std::uint32_t kind : counted_[place].kinds) {
    if (is_lost(tally, kind)) return std::nullopt;
    running_ns += static_cast<double>(tally.samples[kind].running_ns);
  }
  if (running_ns <= 0) return std::nullopt;
  return value * static_cast<double>(sample.enabled_ns) / running_ns;
}

std::vector<std::optional<double>> CounterSet::counts(const Tally& tally) const {
  std::vector<std::optional<double>> counts;
  counts.reserve(counted_.size());
  for (std::uint32_t i = 0; i < counted_.size(); ++i) counts.push_back(count(tally, i));
  return counts;
}

}  // namespace huddle::counters
