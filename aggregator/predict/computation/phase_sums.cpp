#include "aggregator/predict/computation/phase_sums.hpp"

#include <algorithm>
#include <cmath>

namespace huddle {
namespace {

std::string bare_name(const std::string& event) {
  const std::size_t slash = event.find('/');
  const bool prefixed = slash != std::string::npos && slash + 1 < event.size() &&
                        event.find('/', slash + 1) == std::string::npos;
  return prefixed ? event.substr(slash + 1) : event;
}

void add_phase(SumsByGroup& sums, const RankRecord& record, const PhaseRecord& phase) {
  PhaseSum& sum = sums[phase.group];
  const auto passes = static_cast<double>(phase.count);
  sum.time += passes * phase.mean.value;
  sum.variance += passes * phase.variance_s2;
  for (std::size_t i = 0; i < record.events.size(); ++i) {
    const bool counted = phase.counted > 0 && i < phase.counts.size();
    // Not every pass is counted: the others are taken to be alike.
    const double all =
        counted ? phase.counts[i] * passes / static_cast<double>(phase.counted) : std::nan("");
    sum.add(bare_name(record.events[i]), all);
  }
}

void add_rest(PhaseSum& rest, const RankRecord& record, const std::set<std::uint64_t>& told_apart) {
  double time = record.computation_time().value;
  for (const PhaseRecord& phase : record.phases)
    if (told_apart.contains(phase.group))
      time -= static_cast<double>(phase.count) * phase.mean.value;
  rest.time += std::max(time, 0.0);
  if (!told_apart.empty()) return;  // totals can't be split: phases are counted in some passes only
  for (std::size_t i = 0; i < record.event_totals.size() && i < record.events.size(); ++i)
    rest.add(bare_name(record.events[i]), record.event_totals[i]);
}

}  // namespace

void PhaseSum::add(const std::string& event, double count) {
  if (std::isfinite(count))
    counts[event] += count;
  else
    unknown.insert(event);
}

SumsByGroup sums_of(const Profile& profile, const std::vector<std::uint32_t>& ranks,
                    const std::set<std::uint64_t>& told_apart) {
  SumsByGroup sums;
  for (const std::uint32_t rank : ranks) {
    const RankRecord& record = profile.rank_records[rank];
    for (const PhaseRecord& phase : record.phases)
      if (told_apart.contains(phase.group)) add_phase(sums, record, phase);
    add_rest(sums[kRest], record, told_apart);
  }
  return sums;
}

std::set<std::uint64_t> groups_told_apart(const std::vector<const Profile*>& profiles,
                                          const SampleOptions& options) {
  std::map<std::uint64_t, double> least;
  bool first = true;
  for (const Profile* profile : profiles) {
    std::map<std::uint64_t, double> time;
    double all = 0;
    for (const RankRecord& record : profile->rank_records) {
      all += record.computation_time().value;
      for (const PhaseRecord& phase : record.phases)
        time[phase.group] += static_cast<double>(phase.count) * phase.mean.value;
    }
    if (!(all > 0)) return {};
    if (first)
      for (const auto& [group, seconds] : time) least[group] = seconds / all;
    for (auto& [group, share] : least)
      share = std::min(share, time.contains(group) ? time.at(group) / all : 0.0);
    first = false;
  }
  std::vector<std::pair<double, std::uint64_t>> ranked;
  for (const auto& [group, share] : least)
    if (share >= options.least_share && group != kRest) ranked.emplace_back(-share, group);
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > options.most_groups) ranked.resize(options.most_groups);
  std::set<std::uint64_t> groups;
  for (const auto& [share, group] : ranked) groups.insert(group);
  return groups;
}

}  // namespace huddle
