#include "aggregator/recommend/detail/rank_frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace huddle::recommend {
namespace {

// One rank's part in one group.
struct Part {
  double load = 0;  // with care
  double mean = 0;
  double in_mpi = 0;
  double at_end = 0;  // in the delimiter that ends it
  bool there = false;
};

using Parts = std::vector<Part>;  // by group, the rest last

std::map<std::uint64_t, std::size_t> groups_of(const Profile& profile) {
  std::map<std::uint64_t, std::size_t> numbers;
  for (const RankRecord& record : profile.rank_records)
    for (const PhaseRecord& phase : record.phases) numbers.emplace(phase.group, 0);
  std::size_t next = 0;
  for (auto& [group, number] : numbers) number = next++;
  return numbers;
}

// A pass is rarely longer than twice its standard deviation above the mean, and never than the
// longest.
double load_of(const PhaseRecord& phase) {
  const double careful = phase.mean.value + 2 * std::sqrt(std::max(phase.variance_s2, 0.0));
  const double most = std::max(phase.longest.value, phase.mean.value);
  return static_cast<double>(phase.count) * std::min(careful, most);
}

Parts parts_of_rank(const RankRecord& record, const std::map<std::uint64_t, std::size_t>& groups) {
  Parts parts(groups.size() + 1);
  double left = record.computation_time().value;
  double mpi_left = record.mpi_time.value;
  const auto add = [&](const std::vector<PhaseRecord>& phases) {
    for (const PhaseRecord& phase : phases) {
      const auto group = groups.find(phase.group);
      if (group == groups.end()) continue;
      Part& part = parts[group->second];
      part.load += load_of(phase);
      part.mean += static_cast<double>(phase.count) * phase.mean.value;
      part.in_mpi += phase.mpi_time.value;
      part.at_end += phase.delimiter_time.value;
      part.there = true;
      left -= static_cast<double>(phase.count) * phase.mean.value;
      mpi_left -= phase.mpi_time.value + phase.delimiter_time.value;
    }
  };
  add(record.phases);
  const double rest = std::max(left, 0.0);
  parts.back() = {rest, rest, 0, std::max(mpi_left, 0.0), true};
  return parts;
}

GroupSlack slack_of(const Part& part, double critical, double least_at_end, double tolerance) {
  const double until_critical = critical - part.load - part.in_mpi;
  const double waited = part.at_end - least_at_end;
  return {{part.load}, {std::max(std::min(until_critical, waited), 0.0) / (1 + tolerance)}};
}

// The trace may be of another run: the rank's slack is taken as a share of what it computes.
std::vector<std::vector<GroupSlack>> slacks_by_trace(const Profile& profile,
                                                     const WaitSummary& waits, double tolerance) {
  std::vector<std::vector<GroupSlack>> slacks;
  for (const RankRecord& record : profile.rank_records) {
    const RankWaitSummary& traced = waits.ranks[record.rank.value];
    const Seconds load = record.computation_time();
    GroupSlack whole{load, {0}};
    if (traced.computation > Seconds{0})
      whole.slack = load * (traced.slack / traced.computation / (1 + tolerance));
    slacks.push_back({whole});
  }
  return slacks;
}

// A rank may exceed its slack a little: by this share of the run time in all groups together. It
// makes up for groups that are next to nothing.
constexpr double kMostExcess = 0.005;

double excess(const GroupSlack& group, double stretch) {
  return std::max(group.load.value * (stretch - 1) - group.slack.value, 0.0);
}

// The time that the rank computes longer than its slack.
double excess_of(const std::vector<GroupSlack>& groups, double stretch) {
  double sum = 0;
  for (const GroupSlack& group : groups) sum += excess(group, stretch);
  return sum;
}

double load_of(const std::vector<GroupSlack>& groups) {
  double sum = 0;
  for (const GroupSlack& group : groups) sum += group.load.value;
  return sum;
}

// In each group the others wait for the one that exceeds most.
double added_by(const std::vector<std::vector<GroupSlack>>& slacks, const std::vector<Hertz>& set,
                Hertz highest) {
  double sum = 0;
  for (std::size_t group = 0; group < slacks[0].size(); ++group) {
    double most = 0;
    for (std::size_t rank = 0; rank < slacks.size(); ++rank)
      most = std::max(most, excess(slacks[rank][group], highest / set[rank]));
    sum += most;
  }
  return sum;
}

void share_clocks(std::vector<Hertz>& set, const std::vector<std::uint32_t>& clock_of) {
  std::map<std::uint32_t, Hertz> fastest;
  for (std::size_t rank = 0; rank < set.size(); ++rank) {
    Hertz& of_clock = fastest[clock_of[rank]];
    of_clock = std::max(of_clock, set[rank]);
  }
  for (std::size_t rank = 0; rank < set.size(); ++rank) set[rank] = fastest[clock_of[rank]];
}

}  // namespace

double added_by_slack(const Profile& profile) {
  if (!profile.wait_states || !(profile.wait_states->run_time > Seconds{0})) return 0;
  return std::max(profile.wait_states->stretched_run_time / profile.wait_states->run_time - 1, 0.0);
}

std::vector<std::vector<GroupSlack>> slacks_of(const Profile& profile, double tolerance) {
  if (profile.wait_states) return slacks_by_trace(profile, *profile.wait_states, tolerance);
  const std::map<std::uint64_t, std::size_t> groups = groups_of(profile);
  std::vector<Parts> parts;
  for (const RankRecord& record : profile.rank_records)
    parts.push_back(parts_of_rank(record, groups));
  std::vector<std::vector<GroupSlack>> slacks(parts.size());
  for (std::size_t group = 0; group <= groups.size(); ++group) {
    double critical = 0;
    double least_at_end = std::numeric_limits<double>::infinity();
    for (const Parts& of_rank : parts) {
      if (!of_rank[group].there) continue;
      critical = std::max(critical, of_rank[group].mean);
      least_at_end = std::min(least_at_end, of_rank[group].at_end);
    }
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      slacks[rank].push_back(parts[rank][group].there
                                 ? slack_of(parts[rank][group], critical, least_at_end, tolerance)
                                 : GroupSlack{});
  }
  return slacks;
}

RankFrequencies frequencies_for_ranks(const std::vector<std::vector<GroupSlack>>& slacks,
                                      Seconds run_time, Hertz highest,
                                      const std::vector<Hertz>& settable,
                                      const std::vector<std::uint32_t>& clock_of,
                                      double most_added) {
  RankFrequencies result;
  result.by_rank.assign(slacks.size(), highest);
  if (slacks.empty() || !(run_time > Seconds{0})) return result;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const std::vector<GroupSlack>& of_rank : slacks) {
    least = std::min(least, load_of(of_rank));
    most = std::max(most, load_of(of_rank));
  }
  if (most > 0) result.imbalance = most / least;
  result.beyond_frequencies = result.imbalance > highest / settable.front();
  const double may_exceed = std::min(kMostExcess, most_added) * run_time.value;
  for (std::size_t rank = 0; rank < slacks.size(); ++rank)
    for (const Hertz frequency : settable) {
      if (frequency > highest || excess_of(slacks[rank], highest / frequency) > may_exceed)
        continue;
      result.by_rank[rank] = frequency;
      break;
    }
  share_clocks(result.by_rank, clock_of);
  result.added = added_by(slacks, result.by_rank, highest) / run_time.value;
  if (result.added <= most_added) return result;
  result.by_rank.assign(slacks.size(), highest);
  result.added = 0;
  return result;
}

}  // namespace huddle::recommend
