#include "aggregator/predict/computation/detail/run_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "profiles/formats/profile/event_counts.hpp"

namespace huddle::predict {
namespace {

RunPart whole(const Profile& run, const Pattern& pattern) {
  RunPart part{&run, pattern, std::vector<std::uint32_t>(run.rank_records.size()), nullptr};
  std::iota(part.ranks.begin(), part.ranks.end(), 0U);
  return part;
}

// The classes that fill nodes exactly; nothing if the run is of one kind.
std::vector<RunPart> classes_with_patterns(const Profile& run,
                                           const commgraph::NodeTopology& node) {
  const std::optional<std::vector<RankClass>> classes = classes_of(measured_locations(run, node));
  std::vector<RunPart> parts;
  if (!classes || classes->size() < 2) return parts;
  for (const RankClass& of_class : *classes)
    if (const std::optional<Pattern> pattern = pattern_with(of_class.sharing))
      parts.push_back({&run, *pattern, of_class.ranks, nullptr});
  return parts;
}

}  // namespace

std::vector<RunPart> parts_of(const std::vector<const Profile*>& profiles,
                              const commgraph::NodeTopology& node) {
  std::vector<RunPart> parts;
  std::vector<std::vector<RunPart>> mixed;
  const Profile* baseline = nullptr;
  Pattern sparsest;
  for (const Profile* run : profiles) {
    const Pattern pattern = Pattern::parse(measured_reference(*run, node).pattern);
    if (std::vector<RunPart> classes = classes_with_patterns(*run, node); !classes.empty()) {
      mixed.push_back(std::move(classes));
      continue;
    }
    if (baseline == nullptr || pattern.ranks_per_node() < sparsest.ranks_per_node()) {
      baseline = run;
      sparsest = pattern;
    }
    parts.push_back(whole(*run, pattern));
  }
  for (std::vector<RunPart>& classes : mixed) {
    const Profile& run = *classes.front().run;
    if (baseline == nullptr || !(baseline->mean_computation_time() > Seconds{0})) {
      parts.push_back(whole(run, Pattern::parse(measured_reference(run, node).pattern)));
      continue;
    }
    for (RunPart& part : classes) {
      part.baseline = baseline;
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

double spread_of(const RunPart& part) {
  constexpr double kOfOneRank = 0.005;  // nobody to compare it with; assumed
  if (part.baseline == nullptr) return 0;
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const std::uint32_t rank : part.ranks) {
    const double here = part.run->rank_records[rank].computation_time().value;
    const double there = part.baseline->rank_records[rank].computation_time().value;
    if (!(here > 0) || !(there > 0)) continue;
    const double log = std::log(here / there);
    sum += log;
    squares += log * log;
    ++count;
  }
  if (count < 2) return kOfOneRank;
  return std::sqrt(std::max(squares - sum * sum / count, 0.0) / (count - 1) / count);
}

namespace {

// `counts` are those of the rank's events in `seconds`.
void add_clock(PhaseSum& sum, const RankRecord& record, const std::vector<double>& counts,
               Seconds seconds) {
  double cycles = 0;
  for (std::size_t i = 0; i < counts.size() && i < record.events.size(); ++i)
    if (bare_event_name(record.events[i]) == "cycles" && std::isfinite(counts[i]))
      cycles += counts[i];
  if (!(cycles > 0) || !(seconds > Seconds{0})) return;
  sum.cycles += cycles;
  sum.cycles_time += seconds.value;
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
    sum.add(std::string(bare_event_name(record.events[i])), all);
  }
  add_clock(sum, record, phase.counts, phase.counted_time);
}

void add_rest(PhaseSum& rest, const RankRecord& record, const std::set<std::uint64_t>& separate) {
  double time = record.computation_time().value;
  for (const PhaseRecord& phase : record.phases)
    if (separate.contains(phase.group)) time -= static_cast<double>(phase.count) * phase.mean.value;
  rest.time += std::max(time, 0.0);
  if (!separate.empty()) return;  // totals can't be split: phases are counted in some passes only
  for (std::size_t i = 0; i < record.event_totals.size() && i < record.events.size(); ++i)
    rest.add(std::string(bare_event_name(record.events[i])), record.event_totals[i]);
  add_clock(rest, record, record.event_totals, record.run_time);
}

}  // namespace

void PhaseSum::add(const std::string& event, double count) {
  if (std::isfinite(count))
    counts[event] += count;
  else
    unknown.insert(event);
}

SumsByGroup sums_of(const Profile& profile, const std::vector<std::uint32_t>& ranks,
                    const std::set<std::uint64_t>& separate) {
  SumsByGroup sums;
  for (const std::uint32_t rank : ranks) {
    const RankRecord& record = profile.rank_records[rank];
    for (const PhaseRecord& phase : record.phases)
      if (separate.contains(phase.group)) add_phase(sums, record, phase);
    add_rest(sums[kRest], record, separate);
  }
  return sums;
}

std::set<std::uint64_t> separate_groups(const std::vector<const Profile*>& profiles,
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

}  // namespace huddle::predict
