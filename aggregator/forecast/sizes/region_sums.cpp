#include "aggregator/forecast/sizes/region_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace huddle {
namespace {

std::size_t place_of(const RankRecord& record, const std::string& event) {
  return static_cast<std::size_t>(std::find(record.events.begin(), record.events.end(), event) -
                                  record.events.begin());
}

// One rank's passes of a group, in all three tables.
struct RankSum {
  double time = 0;
  double passes = 0;
  double counted = 0;
  std::vector<double> counts;  // of the counted passes
};

using RankSums = std::map<std::uint64_t, RankSum>;

void add(const std::vector<PhaseRecord>& phases, const std::vector<std::size_t>& places,
         RankSums& sums) {
  for (const PhaseRecord& phase : phases) {
    RankSum& sum = sums[phase.group];
    const auto passes = static_cast<double>(phase.count);
    sum.time += phase.mean.value * passes;
    sum.passes += passes;
    sum.counts.resize(places.size());
    if (phase.counted == 0) continue;
    sum.counted += static_cast<double>(phase.counted);
    for (std::size_t i = 0; i < places.size(); ++i)
      sum.counts[i] += places[i] < phase.counts.size() ? phase.counts[places[i]]
                                                       : std::numeric_limits<double>::quiet_NaN();
  }
}

RankSums sums_of(const RankRecord& record, const std::vector<std::string>& events) {
  std::vector<std::size_t> places;
  for (const std::string& event : events) places.push_back(place_of(record, event));
  RankSums sums;
  add(record.phases, places, sums);
  for (const MovedPhases& moved : record.moved) add(moved.phases, places, sums);
  add(record.between_moves, places, sums);
  return sums;
}

// "allreduce at norm+0x40 < main+0x1c10" -> "allreduce at norm+0x40".
std::string_view innermost(std::string_view delimiter) {
  return delimiter.substr(0, delimiter.find(" < "));
}

}  // namespace

std::map<std::uint64_t, RegionSum> region_sums(const Profile& profile,
                                               const std::vector<std::string>& events) {
  const auto ranks = static_cast<double>(profile.rank_records.size());
  std::map<std::uint64_t, RegionSum> regions;
  for (const RankRecord& record : profile.rank_records)
    for (const auto& [group, sum] : sums_of(record, events)) {
      if (sum.passes <= 0) continue;
      RegionSum& region = regions[group];
      region.time += Seconds{sum.time / ranks};
      region.calls += sum.passes;
      region.counts.resize(events.size());
      // Counted passes stand for those that were not.
      for (std::size_t i = 0; i < events.size(); ++i)
        region.counts[i] += sum.counted > 0 ? sum.counts[i] * (sum.passes / sum.counted)
                                            : std::numeric_limits<double>::quiet_NaN();
    }
  return regions;
}

std::vector<std::string> events_of_all(const std::vector<const Profile*>& profiles) {
  std::vector<std::string> common = profiles.front()->rank_records.front().events;
  for (const Profile* profile : profiles)
    std::erase_if(common, [&](const std::string& event) {
      return !std::isfinite(event_total(*profile, event));
    });
  return common;
}

double event_total(const Profile& profile, const std::string& event) {
  double sum = 0;
  for (const RankRecord& record : profile.rank_records) {
    const std::size_t place = place_of(record, event);
    sum += place < record.event_totals.size() ? record.event_totals[place]
                                              : std::numeric_limits<double>::quiet_NaN();
  }
  return sum;
}

std::map<std::uint64_t, std::string> region_names(const std::vector<PhaseGroup>& groups) {
  const auto short_name = [](const PhaseGroup& group) {
    return fmt::format("{} to {}", innermost(group.begin), innermost(group.end));
  };
  const auto long_name = [](const PhaseGroup& group) {
    return fmt::format("{} to {}", group.begin, group.end);
  };
  std::map<std::string, std::size_t> uses;
  for (const PhaseGroup& group : groups) {
    ++uses[short_name(group)];
    if (long_name(group) != short_name(group)) ++uses[long_name(group)];
  }
  std::map<std::uint64_t, std::string> names;
  for (const PhaseGroup& group : groups) {
    std::string name = short_name(group);
    if (uses[name] > 1) name = long_name(group);
    if (uses[name] > 1) name += fmt::format(" ({:x})", group.id);
    names[group.id] = std::move(name);
  }
  return names;
}

}  // namespace huddle
