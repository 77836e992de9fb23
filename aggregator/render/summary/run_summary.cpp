#include "aggregator/render/summary/run_summary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "aggregator/render/summary/region_counts.hpp"

namespace huddle::render {
namespace {

// The beginnings of their names, with or without an i in front.
constexpr std::array<std::string_view, 11> kCollectives = {
    "allgather", "allreduce", "alltoall",  "barrier", "bcast",  "exscan",
    "gather",    "scan",      "neighbor_", "reduce",  "scatter"};
// And all whose names begin with win_.
constexpr std::array<std::string_view, 10> kOneSided = {
    "put",  "get",  "accumulate",  "get_accumulate", "fetch_and_op", "compare_and_swap",
    "rput", "rget", "raccumulate", "rget_accumulate"};
constexpr std::array<std::string_view, 3> kCompletion = {"wait", "test", "probe"};

bool one_of_families(std::string_view operation) {
  return std::any_of(kCollectives.begin(), kCollectives.end(),
                     [&](std::string_view name) { return operation.starts_with(name); });
}

bool holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

}  // namespace

CallSort sort_of_call(std::string_view operation) {
  if (operation.starts_with("file_")) return CallSort::kFiles;
  if (operation.starts_with("win_") ||
      std::find(kOneSided.begin(), kOneSided.end(), operation) != kOneSided.end())
    return CallSort::kOneSided;
  if (one_of_families(operation) ||
      (operation.starts_with("i") && one_of_families(operation.substr(1))))
    return CallSort::kCollectives;
  for (const std::string_view word : kCompletion)
    if (holds(operation, word)) return CallSort::kCompletion;
  if (holds(operation, "send") || holds(operation, "recv") || operation.starts_with("start"))
    return CallSort::kMessages;
  return CallSort::kOthers;
}

std::string_view name_of(CallSort sort) {
  constexpr std::array<std::string_view, kCallSorts> kNames = {"sending and receiving",
                                                               "waiting and testing",
                                                               "collectives",
                                                               "one-sided",
                                                               "files",
                                                               "other calls"};
  return kNames[static_cast<std::size_t>(sort)];
}

namespace {

// Sums by a key, found quickly for millions of ranks: the keys are views into the profile.
template <class Key, class Summary>
class SumsBy {
 public:
  Summary& at(const Key& key) { return sums_[key]; }
  // In the keys' order.
  std::vector<std::pair<Key, Summary>> all() && {
    std::vector<std::pair<Key, Summary>> list;
    for (auto& [key, sum] : sums_) list.emplace_back(key, std::move(sum));
    return list;
  }

 private:
  std::map<Key, Summary> sums_;
};

class Collector {
 public:
  void add(const RankRecord& record) {
    result_.computation.add(record.rank, record.computation_time());
    result_.mpi_time.add(record.rank, record.mpi_time);
    add_calls(record);
    add_collectives(record);
    add_phases(record);
    add_regions(record);
    add_packed(record);
    add_periods(record);
    if (record.balancing) add_balancing(*record.balancing);
    add_counters(record);
    for (const EnergyReading& reading : record.node_energy) {
      MeterSummary& meter = meters_.at(reading.meter);
      meter.energy += reading.energy;
      meter.origin = std::max(meter.origin, reading.origin);
      ++meter.nodes;
    }
  }

  RunSummary finish(const SharedTables& shared) && {
    for (auto& [name, calls] : std::move(calls_).all()) {
      calls.operation = name;
      result_.calls.push_back(std::move(calls));
    }
    for (auto& [key, collective] : std::move(collectives_).all()) {
      collective.operation = key.first;
      collective.communicator = key.second;
      result_.collectives.push_back(std::move(collective));
    }
    for (auto& [name, counter] : std::move(counters_).all()) {
      counter.event = name;
      result_.counters.push_back(std::move(counter));
    }
    for (auto& [name, meter] : std::move(meters_).all()) {
      meter.meter = name;
      result_.meters.push_back(std::move(meter));
    }
    finish_phases(shared);
    finish_regions(shared);
    finish_packed();
    finish_periods();
    sort();
    return std::move(result_);
  }

 private:
  void add_calls(const RankRecord& record) {
    for (const CallKind& kind : record.calls) {
      CallSummary& calls = calls_.at(kind.operation);
      calls.calls += kind.calls;
      calls.timed += kind.timed;
      calls.time.add(record.rank, kind.time);
      // The sorts' times of one rank come one after the other, too.
      result_.time_by_sort.resize(kCallSorts);
      result_.time_by_sort[static_cast<std::size_t>(sort_of_call(kind.operation))].add(record.rank,
                                                                                       kind.time);
    }
  }

  void add_collectives(const RankRecord& record) {
    for (const CollectiveCalls& calls : record.collectives) {
      CollectiveSummary& sum = collectives_.at({calls.operation, calls.communicator});
      sum.calls += calls.calls;
      sum.bytes += calls.bytes;
      sum.time.add(record.rank, calls.time);
    }
  }

  void add_phases(const RankRecord& record) {
    for (const PhaseRecord& phase : record.phases) {
      PhaseGroupSummary& sum = phases_[phase.group];
      sum.count += phase.count;
      sum.computation.add(record.rank, phase.mean * static_cast<double>(phase.count));
      sum.mpi_time.add(record.rank, phase.mpi_time);
      sum.delimiter_time.add(record.rank, phase.delimiter_time);
    }
  }

  // The entries of a region come one after the other.
  void add_regions(const RankRecord& record) {
    for (const OpenMpRegionRecord& of_group : record.openmp_regions) {
      OpenMpRegionSummary& sum = regions_[of_group.region];
      if (sum.passes == 0) sum.smallest_team = of_group.smallest_team;
      sum.passes += of_group.passes;
      sum.timed_passes += of_group.passes - of_group.untimed_passes;
      sum.time.add(record.rank, of_group.mean * static_cast<double>(of_group.passes));
      sum.serial.add(record.rank, of_group.serial);
      sum.smallest_team = std::min(sum.smallest_team, of_group.smallest_team);
      sum.largest_team = std::max(sum.largest_team, of_group.largest_team);
      if (groups_of_[of_group.region].insert(of_group.group).second) ++sum.groups;
      sum.counted_passes += of_group.counted_passes;
      counts_[of_group.region].add(record.events, of_group);
      if (of_group.observed_passes == 0) continue;
      // Shares are sums of times here, until all ranks are there.
      const auto passes = static_cast<double>(of_group.passes);
      sum.observed_passes += of_group.observed_passes;
      sum.busy_share += of_group.busy.value * passes;
      sum.busiest_share += of_group.busiest.value * passes;
      observed_time_[of_group.region] += of_group.mean.value * passes;
    }
  }

  void finish_regions(const SharedTables& shared) {
    std::unordered_map<std::uint64_t, const OpenMpRegion*> known;
    for (const OpenMpRegion& region : shared.openmp_regions) known[region.id] = &region;
    for (auto& [id, sum] : regions_) {
      sum.region.id = id;
      if (const double time = observed_time_[id]; time > 0) {
        sum.busiest_share = std::min(sum.busiest_share / time, 1.0);
        sum.busy_share = std::min(sum.busy_share / time, sum.busiest_share);
      } else {
        sum.observed_passes = 0;
      }
      counts_[id].put_into(sum);
      if (const auto found = known.find(id); found != known.end()) sum.region = *found->second;
      result_.openmp_regions.push_back(std::move(sum));
    }
    std::sort(result_.openmp_regions.begin(), result_.openmp_regions.end(),
              [](const OpenMpRegionSummary& a, const OpenMpRegionSummary& b) {
                return std::pair(b.time.sum(), a.region.id) < std::pair(a.time.sum(), b.region.id);
              });
  }

  // Where nothing is known of usual passes there is nothing to compare with.
  void add_packed(const RankRecord& record) {
    for (const PackedRegionRecord& packed : record.packed_regions) {
      if (packed.usual_passes == 0) continue;
      PackedRegionSummary& sum =
          packed_[packed.region][{packed.team, UINT32_MAX - packed.cores, packed.packages}];
      sum.team = packed.team;
      sum.cores = packed.cores;
      sum.packages = packed.packages;
      ++sum.ranks;
      sum.passes += packed.passes;
      const double share = static_cast<double>(packed.passes) / static_cast<double>(sum.passes);
      sum.mean += (packed.mean - sum.mean) * share;
      sum.usual_mean += (packed.usual_mean - sum.usual_mean) * share;
      if (packed.acted_passes == 0) continue;
      ++sum.acting_ranks;
      sum.acted_passes += packed.acted_passes;
      sum.acted_mean +=
          (packed.acted_mean - sum.acted_mean) *
          (static_cast<double>(packed.acted_passes) / static_cast<double>(sum.acted_passes));
    }
  }

  void finish_packed() {
    for (const OpenMpRegionSummary& region : result_.openmp_regions)
      for (auto& [how, sum] : packed_[region.region.id]) {
        sum.region = region.region;
        result_.packed_regions.push_back(sum);
      }
  }

  void add_periods(const RankRecord& record) {
    for (const PassPeriodRecord& period : record.periods) {
      const auto same = [&](const PeriodSummary& one) {
        return one.length == period.groups.size();
      };
      const auto known = std::find_if(result_.periods.begin(), result_.periods.end(), same);
      if (known != result_.periods.end())
        ++known->ranks;
      else
        result_.periods.push_back({period.groups.size(), 1, period.passes, period.groups});
    }
    for (const RegionPeriodRecord& period : record.region_periods) {
      const auto known = std::ranges::find(result_.region_periods, period.regions.size(),
                                           &RegionPeriodSummary::length);
      if (known != result_.region_periods.end())
        ++known->ranks;
      else
        result_.region_periods.push_back({period.regions.size(), 1, period.passes, period.regions});
    }
  }

  void finish_periods() {
    const auto by_ranks = [](const auto& a, const auto& b) {
      return std::pair(b.ranks, a.length) < std::pair(a.ranks, b.length);
    };
    std::ranges::sort(result_.periods, by_ranks);
    std::ranges::sort(result_.region_periods, by_ranks);
  }

  void add_balancing(const RankBalancing& rank) {
    if (!result_.balancing) result_.balancing = {0, rank, 0, rank.top, rank.lowest, 0};
    BalancingSummary& sum = *result_.balancing;
    ++sum.ranks;
    sum.clock_changes += rank.clock_changes;
    sum.top = std::max(sum.top, rank.top);
    sum.lowest = std::min(sum.lowest, rank.lowest);
    sum.mean_share += (rank.mean / rank.top - sum.mean_share) / sum.ranks;
  }

  void add_counters(const RankRecord& record) {
    const std::size_t counted = std::min(record.events.size(), record.event_totals.size());
    for (std::size_t i = 0; i < counted; ++i) {
      CounterSummary& counter = counters_.at(record.events[i]);
      counter.total += record.event_totals[i];
      ++counter.ranks;
    }
  }

  void finish_phases(const SharedTables& shared) {
    for (auto& [id, sum] : phases_) {
      sum.group.id = id;
      result_.phase_groups.push_back(std::move(sum));
    }
    std::unordered_map<std::uint64_t, const PhaseGroup*> groups;
    for (const PhaseGroup& group : shared.phase_groups) groups[group.id] = &group;
    for (PhaseGroupSummary& sum : result_.phase_groups)
      if (const auto found = groups.find(sum.group.id); found != groups.end())
        sum.group = *found->second;
  }

  void sort() {
    std::stable_sort(
        result_.calls.begin(), result_.calls.end(),
        [](const CallSummary& a, const CallSummary& b) { return a.time.sum() > b.time.sum(); });
    std::sort(result_.phase_groups.begin(), result_.phase_groups.end(),
              [](const PhaseGroupSummary& a, const PhaseGroupSummary& b) {
                return std::pair(b.computation.sum(), a.group.id) <
                       std::pair(a.computation.sum(), b.group.id);
              });
  }

  RunSummary result_;
  SumsBy<std::string_view, CallSummary> calls_;
  SumsBy<std::pair<std::string_view, std::string_view>, CollectiveSummary> collectives_;
  SumsBy<std::string_view, CounterSummary> counters_;
  SumsBy<std::string_view, MeterSummary> meters_;
  std::unordered_map<std::uint64_t, PhaseGroupSummary> phases_;
  std::unordered_map<std::uint64_t, OpenMpRegionSummary> regions_;
  std::unordered_map<std::uint64_t, double> observed_time_;               // of regions
  std::unordered_map<std::uint64_t, RegionCountSums> counts_;             // of regions
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> groups_of_;  // by region
  // Sorts by region; then by team, cores from the most on, and packages.
  std::unordered_map<std::uint64_t, std::map<std::array<std::uint32_t, 3>, PackedRegionSummary>>
      packed_;
};

}  // namespace

void TimeSpread::add(Rank rank, Seconds time) {
  if (ranks_ == 0 || rank != last_) {
    ++ranks_;
    of_this_rank_ = {};
    last_ = rank;
  }
  sum_ += time;
  of_this_rank_ += time;
  if (ranks_ > 1 && of_this_rank_ <= longest_) return;
  longest_ = of_this_rank_;
  slowest_ = rank;
}

Seconds TimeSpread::mean() const {
  return ranks_ == 0 ? Seconds{} : sum_ * (1.0 / ranks_);
}

double TimeSpread::imbalance() const {
  return mean() > Seconds{} ? longest_ / mean() - 1 : 0;
}

RunSummary summary_of(const Profile& profile) {
  Collector collector;
  for (const RankRecord& record : profile.rank_records) collector.add(record);
  return std::move(collector).finish(profile.shared);
}

std::size_t known_nodes(const Profile& profile) {
  const std::vector<std::string> names = profile.nodes();
  return names.size() - static_cast<std::size_t>(std::count(names.begin(), names.end(), ""));
}

}  // namespace huddle::render
