#include "aggregator/forecast/sizes/predicted_profile.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "aggregator/forecast/laws/left_out.hpp"
#include "aggregator/forecast/sizes/detail/by_size.hpp"
#include "aggregator/forecast/sizes/detail/predicted_phases.hpp"
#include "aggregator/forecast/sizes/detail/predicted_traffic.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/parallel.hpp"
#include "profiles/vocabulary/problem_size.hpp"

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

// Predicts what all ranks of a layout do at a problem size from runs of others. `runs` must outlive
// it, and have a run at least.
class LayoutAtSize {
 public:
  LayoutAtSize(const RunsOfLayout& runs, double size);

  // The whole profile. It uses as many threads as there are processors.
  [[nodiscard]] Profile predicted() const;
  // Its run time alone, which takes less.
  [[nodiscard]] Seconds run_time() const;
  // By a law of the whole run time, which knows nothing of its parts.
  [[nodiscard]] std::optional<Estimate> run_time_by_law() const;

 private:
  [[nodiscard]] Profile identity() const;
  void set_times(Profile& profile, const std::vector<std::string>& events) const;
  void end_together(Profile& profile, Seconds mean) const;
  [[nodiscard]] bool runs_know_mpi() const;
  void set_counters(Profile& profile) const;
  template <class Value>
  [[nodiscard]] std::vector<double> of_runs(std::size_t rank, Value&& value_of) const;
  template <class Value>
  [[nodiscard]] std::vector<double> by_rank(Value&& value_of) const;

  const RunsOfLayout& runs_;
  double size_;
  std::uint32_t ranks_;
  TimesBySize by_size_;
};

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
    RankRecord& found = profile.rank_records.emplace_back();
    found.rank = record.rank;
    found.node = record.node;
    found.pus = record.pus;
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

// Others' profiles may say nothing of it.
bool LayoutAtSize::runs_know_mpi() const {
  for (const RankRecord& record : runs_.profiles.front()->rank_records)
    if (record.mpi_time > Seconds{0}) return true;
  return false;
}

void LayoutAtSize::set_counters(Profile& profile) const {
  const std::vector<std::string> events = common_events(runs_);
  for (RankRecord& record : profile.rank_records) record.events = events;
  for (const std::string& event : events) {
    const auto totals =
        by_rank([&](const RankRecord& record) { return event_total(record, event); });
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      profile.rank_records[rank].event_totals.push_back(totals[rank]);
  }
}

// Fewer sizes leave none to try the law on.
constexpr std::size_t kSizesForError = 3;
// Beyond so many times the largest size a warning is due even where a law fits well.
constexpr double kFarBeyond = 2;

std::string list_of(const std::vector<double>& sizes) {
  std::vector<std::string> texts;
  for (const double size : sizes) texts.push_back(problem_size_text(size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

RunsOfLayout without(const RunsOfLayout& runs, double size) {
  RunsOfLayout others;
  for (std::size_t run = 0; run < runs.sizes.size(); ++run) {
    if (runs.sizes[run] == size) continue;
    others.profiles.push_back(runs.profiles[run]);
    others.sizes.push_back(runs.sizes[run]);
  }
  return others;
}

// How far off, on logarithms, the run time of each size is when it is predicted from the others.
// Between the sizes only those between others count, if there are several.
std::vector<double> left_out_errors(const RunsOfLayout& runs, double target) {
  const std::vector<double> sizes = runs.different_sizes();
  const bool between = target > sizes.front() && target < sizes.back();
  const std::size_t edge = between && sizes.size() > kSizesForError ? 1 : 0;
  std::vector<double> errors;
  for (std::size_t i = edge; i + edge < sizes.size(); ++i) {
    const RunsOfLayout others = without(runs, sizes[i]);
    const Seconds found = LayoutAtSize(others, sizes[i]).run_time();
    for (std::size_t run = 0; run < runs.sizes.size(); ++run)
      if (runs.sizes[run] == sizes[i])
        errors.push_back(std::log(found / runs.profiles[run]->run_time()));
  }
  return errors;
}

// Half the width, on logarithms, of an interval that holds 90 % by these errors.
double half_width_by(const std::vector<double>& errors) {
  constexpr double kNinetyPercentOfNormal = 1.645;
  double squares = 0;
  for (const double error : errors) squares += error * error;
  return kNinetyPercentOfNormal * few_groups_factor(errors.size()) *
         std::sqrt(squares / static_cast<double>(errors.size()));
}

// As wide as sizes that are left out ask for, and at least what a law of the whole run time says.
void add_interval(PredictedProfiles& found, const RunsOfLayout& runs) {
  const std::optional<Estimate> law = LayoutAtSize(runs, found.size).run_time_by_law();
  if (!law || found.from.size() < kSizesForError) {
    found.notes.emplace_back(
        "how far off it may be is unknown: that takes runs of three sizes or more");
    return;
  }
  const double left_out = std::exp(half_width_by(left_out_errors(runs, found.size)));
  const double time = found.run_time.value;
  found.run_time_low =
      Seconds{std::min({time / left_out, time * law->low / law->value, law->value})};
  found.run_time_high =
      Seconds{std::max({time * left_out, time * law->high / law->value, law->value})};
}

void look_for_doubts(PredictedProfiles& found) {
  const double smallest = found.from.front();
  const double largest = found.from.back();
  if (found.size > largest) found.beyond = found.size / largest;
  if (found.size < smallest) found.beyond = smallest / found.size;
  if (found.beyond <= 1) return;
  found.notes.push_back(fmt::format(
      "size {} is {:.3g} times {}: {}", problem_size_text(found.size),
      found.size > largest ? found.beyond : 1 / found.beyond,
      found.size > largest ? "the largest that was run" : "the smallest that was run",
      found.beyond > kFarBeyond ? "caches, memory and messages may behave otherwise there, and no "
                                  "interval knows of that"
                                : "it is not between sizes that were run"));
}

}  // namespace

PredictedProfiles predict_profiles(const std::vector<SizedRun>& runs, double size) {
  check_one_program(runs);
  PredictedProfiles found;
  found.size = size;
  std::size_t too_few = 0;
  for (const RunsOfLayout& layout : by_layout(runs)) {
    const std::vector<double> sizes = layout.different_sizes();
    if (sizes.size() < 2) {
      ++too_few;
      continue;
    }
    Profile profile = LayoutAtSize(layout, size).predicted();
    profile.notes = {fmt::format("Predicted for size {} from runs of sizes {}: not measured.",
                                 problem_size_text(size), list_of(sizes))};
    if (found.profiles.empty()) {
      found.from = sizes;
      found.run_time = profile.run_time();
      add_interval(found, layout);
    }
    found.profiles.push_back(std::move(profile));
  }
  if (found.profiles.empty())
    throw Error(
        fmt::format("{} nothing about size {}: that takes runs of two sizes "
                    "or more, better three, with the ranks on the same cores",
                    counted(runs.size(), "profile says", "profiles say"), problem_size_text(size)));
  look_for_doubts(found);
  if (too_few > 0)
    found.notes.push_back(fmt::format("{} run with one size only",
                                      counted(too_few, "layout of ranks is not used: it was",
                                              "layouts of ranks are not used: they were")));
  return found;
}

std::string text_of(const PredictedProfiles& predicted) {
  std::string text = fmt::format(
      "predicted for size {} from sizes {} (not measured): it takes {:.4g} s",
      problem_size_text(predicted.size), list_of(predicted.from), predicted.run_time.value);
  if (!predicted.run_time_low || !predicted.run_time_high) return text + " laid out as it was";
  const double low = predicted.run_time_low->value;
  const double high = predicted.run_time_high->value;
  text += fmt::format(" ({}) laid out as it was", interval_text(low, high));
  if (!is_useful_interval(low, high))
    text += ", which is as good as unknown: the runs' times follow no law, run them once more";
  return text;
}

}  // namespace huddle
