#include "aggregator/forecast/sizes/layout_at_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "aggregator/forecast/sizes/predicted_phases.hpp"
#include "aggregator/forecast/sizes/predicted_traffic.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
namespace {

// Those that each rank of each run counted.
std::vector<std::string> common_events(const RunsOfLayout& runs) {
  std::vector<std::string> common = runs.profiles.front()->rank_records.front().events;
  for (const Profile* profile : runs.profiles)
    for (const RankRecord& record : profile->rank_records)
      std::erase_if(common, [&](const std::string& event) {
        return std::find(record.events.begin(), record.events.end(), event) == record.events.end();
      });
  return common;
}

double total_of(const RankRecord& record, const std::string& event) {
  const auto place = static_cast<std::size_t>(
      std::find(record.events.begin(), record.events.end(), event) - record.events.begin());
  return place < record.event_totals.size() ? record.event_totals[place]
                                            : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

LayoutAtSize::LayoutAtSize(const RunsOfLayout& runs, double size)
    : runs_(runs),
      size_(size),
      ranks_(runs.profiles.front()->ranks),
      by_size_(runs.sizes, size, ranks_) {}

template <class Value>
std::vector<double> LayoutAtSize::of_runs(std::size_t rank, Value&& value_of) const {
  std::vector<double> values;
  for (const Profile* profile : runs_.profiles)
    values.push_back(value_of(profile->rank_records[rank]));
  return values;
}

template <class Value>
std::vector<double> LayoutAtSize::by_rank(Value&& value_of) const {
  return by_size_.by_rank([&](std::size_t run, std::uint32_t rank) {
    return value_of(runs_.profiles[run]->rank_records[rank]);
  });
}

Profile LayoutAtSize::predicted() const {
  Profile profile = identity();
  set_times(profile, common_events(runs_));
  set_counters(profile);
  const TrafficBySize traffic(runs_, size_);
  for_each_index(std::max(1U, std::thread::hardware_concurrency()), ranks_, [&](std::size_t i) {
    RankRecord& record = profile.rank_records[i];
    traffic.predict(i, record);
    record.peak_resident = Bytes{static_cast<std::uint64_t>(
        by_size_.counts().at_target(of_runs(i, [](const RankRecord& of_run) {
          return static_cast<double>(of_run.peak_resident.value);
        })))};
  });
  return profile;
}

Seconds LayoutAtSize::run_time() const {
  Profile profile = identity();
  set_times(profile, {});
  return profile.run_time();
}

std::optional<Estimate> LayoutAtSize::run_time_by_law() const {
  std::vector<double> times;
  for (const Profile* profile : runs_.profiles) times.push_back(profile->run_time().value);
  return by_size_.law(times);
}

Profile LayoutAtSize::identity() const {
  const Profile& nearest = *runs_.profiles[by_size_.nearest_run()];
  Profile profile;
  profile.label = nearest.label;
  profile.user = nearest.user;
  profile.ranks = ranks_;
  profile.executable = nearest.executable;
  profile.build_id = nearest.build_id;
  profile.scales_weakly = nearest.scales_weakly;
  profile.problem_size = size_;
  profile.mpi_library = nearest.mpi_library;
  profile.counters_absent_reason = nearest.counters_absent_reason;
  for (const Profile* run : runs_.profiles) profile.shared.merge(run->shared);
  for (const RankRecord& record : nearest.rank_records) {
    RankRecord& told = profile.rank_records.emplace_back();
    told.rank = record.rank;
    told.node = record.node;
    told.pus = record.pus;
    told.not_moved = record.not_moved;
  }
  return profile;
}

// Computation is that of the phases and what lies outside of them. Ranks end together: what they
// wait for each other is part of their time in MPI.
void LayoutAtSize::set_times(Profile& profile, const std::vector<std::string>& events) const {
  const std::vector<std::uint64_t> groups = groups_of_several_sizes(runs_);
  const auto phases = predicted_phases(runs_, size_, events);
  const std::vector<double> outside =
      by_rank([&](const RankRecord& record) { return time_outside(groups, record).value; });
  const auto in_mpi = by_rank([](const RankRecord& record) { return record.mpi_time.value; });
  const auto cpu = by_rank([](const RankRecord& record) {
    return record.cpu_time ? record.cpu_time->value : std::numeric_limits<double>::quiet_NaN();
  });
  Seconds all;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    RankRecord& record = profile.rank_records[rank];
    record.phases = phases[rank];
    Seconds computation{outside[rank]};
    for (const PhaseRecord& phase : record.phases)
      computation += phase.mean * static_cast<double>(phase.count);
    record.mpi_time = Seconds{in_mpi[rank]};
    record.run_time = computation + record.mpi_time;
    all += record.run_time;
    if (cpu[rank] > 0) record.cpu_time = Seconds{cpu[rank]};
  }
  end_together(profile, all * (1.0 / ranks_));
}

void LayoutAtSize::end_together(Profile& profile, Seconds mean) const {
  if (!runs_know_mpi()) return;
  const auto share = by_rank([](const RankRecord& record) { return record.run_time.value; });
  double sum = 0;
  for (const double value : share) sum += value;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    RankRecord& record = profile.rank_records[rank];
    const Seconds computation = record.computation_time();
    record.run_time = std::max(mean * (share[rank] * ranks_ / sum), computation);
    record.mpi_time = record.run_time - computation;
  }
}

// A run on a placement that ranks were moved to knows nothing of it.
bool LayoutAtSize::runs_know_mpi() const {
  for (const RankRecord& record : runs_.profiles.front()->rank_records)
    if (record.mpi_time > Seconds{0}) return true;
  return false;
}

void LayoutAtSize::set_counters(Profile& profile) const {
  const std::vector<std::string> events = common_events(runs_);
  for (RankRecord& record : profile.rank_records) record.events = events;
  for (const std::string& event : events) {
    const auto totals = by_rank([&](const RankRecord& record) { return total_of(record, event); });
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      profile.rank_records[rank].event_totals.push_back(totals[rank]);
  }
}

}  // namespace huddle
