#include "aggregator/predict/computation/effective_frequency.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace huddle {
namespace {

constexpr double kNominalWithin = 0.1;  // cycles of user space only fall short by as much at most
constexpr double kNanosecond = 1e-9;

// Over the PMUs of a hybrid machine; nothing if the event was never counted.
std::optional<double> total_of(const RankRecord& record, std::string_view event) {
  std::optional<double> total;
  for (std::size_t i = 0; i < std::min(record.events.size(), record.event_totals.size()); ++i) {
    std::string_view name = record.events[i];
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos)
      name.remove_prefix(slash + 1);
    if (name == event && std::isfinite(record.event_totals[i]))
      total = total.value_or(0) + record.event_totals[i];
  }
  return total;
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

}  // namespace huddle
