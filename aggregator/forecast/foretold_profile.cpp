#include "aggregator/forecast/foretold_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "aggregator/forecast/foretold_phases.hpp"
#include "aggregator/forecast/foretold_traffic.hpp"
#include "aggregator/forecast/times_by_size.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/parallel.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

// Fewer sizes leave none to try the law on.
constexpr std::size_t kSizesForError = 3;
// Beyond so many times the largest size a warning is due even where a law fits well.
constexpr double kFarBeyond = 2;

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

// What all ranks of a layout do, at one size.
class LayoutAtSize {
 public:
  LayoutAtSize(const RunsOfLayout& runs, double size)
      : runs_(runs),
        size_(size),
        ranks_(runs.profiles.front()->ranks),
        by_size_(runs.sizes, size, ranks_),
        events_(common_events(runs)) {}

  [[nodiscard]] Profile foretold() const {
    Profile profile = identity();
    set_times(profile);
    set_counters(profile);
    const TrafficBySize traffic(runs_, size_);
    for_each_index(std::max(1U, std::thread::hardware_concurrency()), ranks_, [&](std::size_t i) {
      RankRecord& record = profile.rank_records[i];
      traffic.foretell(i, record);
      record.peak_resident = Bytes{static_cast<std::uint64_t>(
          by_size_.counts().at_target(of_runs(i, [](const RankRecord& of_run) {
            return static_cast<double>(of_run.peak_resident.value);
          })))};
    });
    return profile;
  }

  // What a law says of the run time.
  [[nodiscard]] std::optional<Estimate> run_time() const {
    std::vector<double> times;
    for (const Profile* profile : runs_.profiles) times.push_back(profile->run_time().value);
    return by_size_.law(times);
  }

 private:
  [[nodiscard]] Profile identity() const {
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

  template <class Value>
  [[nodiscard]] std::vector<double> of_runs(std::size_t rank, Value&& value_of) const {
    std::vector<double> values;
    for (const Profile* profile : runs_.profiles)
      values.push_back(value_of(profile->rank_records[rank]));
    return values;
  }

  template <class Value>
  [[nodiscard]] std::vector<double> by_rank(Value&& value_of) const {
    return by_size_.by_rank([&](std::size_t run, std::uint32_t rank) {
      return value_of(runs_.profiles[run]->rank_records[rank]);
    });
  }

  // Computation is that of the phases and what lies outside of them. Ranks end together: what they
  // wait for each other is part of their time in MPI.
  void set_times(Profile& profile) const {
    const std::vector<std::uint64_t> groups = groups_of_several_sizes(runs_);
    const auto phases = foretold_phases(runs_, size_, events_);
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

  void end_together(Profile& profile, Seconds mean) const {
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
  [[nodiscard]] bool runs_know_mpi() const {
    for (const RankRecord& record : runs_.profiles.front()->rank_records)
      if (record.mpi_time > Seconds{0}) return true;
    return false;
  }

  void set_counters(Profile& profile) const {
    for (RankRecord& record : profile.rank_records) record.events = events_;
    for (const std::string& event : events_) {
      const auto totals =
          by_rank([&](const RankRecord& record) { return total_of(record, event); });
      for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        profile.rank_records[rank].event_totals.push_back(totals[rank]);
    }
  }

  const RunsOfLayout& runs_;
  double size_;
  std::uint32_t ranks_;
  TimesBySize by_size_;
  std::vector<std::string> events_;
};

std::string list_of(const std::vector<double>& sizes) {
  std::vector<std::string> texts;
  for (const double size : sizes) texts.push_back(problem_size_text(size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_interval(ForetoldProfiles& told, const std::optional<Estimate>& law) {
  if (!law || told.from.size() < kSizesForError) {
    told.notes.emplace_back(
        "how far off it may be is unknown: that takes runs of three sizes or more");
    return;
  }
  const double time = told.run_time.value;
  told.run_time_low = Seconds{std::min(time * law->low / law->value, law->value)};
  told.run_time_high = Seconds{std::max(time * law->high / law->value, law->value)};
}

void look_for_doubts(ForetoldProfiles& told) {
  const double smallest = told.from.front();
  const double largest = told.from.back();
  if (told.size > largest) told.beyond = told.size / largest;
  if (told.size < smallest) told.beyond = smallest / told.size;
  if (told.beyond <= 1) return;
  told.notes.push_back(fmt::format(
      "size {} is {:.3g} times {}: {}", problem_size_text(told.size),
      told.size > largest ? told.beyond : 1 / told.beyond,
      told.size > largest ? "the largest that was run" : "the smallest that was run",
      told.beyond > kFarBeyond ? "caches, memory and messages may behave otherwise there, and no "
                                 "interval knows of that"
                               : "it is not between sizes that were run"));
}

}  // namespace

ForetoldProfiles foretell_profiles(const std::vector<SizedRun>& measured, double size,
                                   const NodeTopology& node) {
  check_one_program(measured);
  const std::vector<SizedRun> runs = told_apart_by_placement(measured, node);
  ForetoldProfiles told;
  told.size = size;
  std::optional<Estimate> run_time;
  std::size_t too_few = 0;
  for (const RunsOfLayout& layout : by_layout(runs)) {
    const std::vector<double> sizes = layout.different_sizes();
    if (sizes.size() < 2) {
      ++too_few;
      continue;
    }
    const LayoutAtSize at_size(layout, size);
    Profile profile = at_size.foretold();
    profile.notes = {fmt::format("Foretold for size {} from runs of sizes {}: not measured.",
                                 problem_size_text(size), list_of(sizes))};
    if (told.profiles.empty()) {
      told.from = sizes;
      told.run_time = profile.run_time();
      run_time = at_size.run_time();
    }
    told.profiles.push_back(std::move(profile));
  }
  if (told.profiles.empty())
    throw Error(
        fmt::format("{} profiles say nothing about size {}: that takes runs of two sizes "
                    "or more, better three, with the ranks on the same cores",
                    measured.size(), problem_size_text(size)));
  add_interval(told, run_time);
  look_for_doubts(told);
  if (too_few > 0)
    told.notes.push_back(
        fmt::format("{} layouts of ranks are not used: they were run with one size only", too_few));
  return told;
}

}  // namespace huddle
