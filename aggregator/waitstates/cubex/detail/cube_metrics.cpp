#include "aggregator/waitstates/cubex/detail/cube_metrics.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "aggregator/waitstates/replay/wait_sums.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Add = CubeMetric::Add;
using Values = CubeMetric::Values;

// Values of one wait state's entry.
using OfWaits = double (*)(const WaitReport& report, const PathWaits& waits);

double seconds_of(const WaitReport& report, std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(report.ticks_per_second);
}
double time_of_waits(const WaitReport& report, const PathWaits& waits) {
  return seconds_of(report, waits.ticks);
}
double count_of_waits(const WaitReport& /*report*/, const PathWaits& waits) {
  return static_cast<double>(waits.count);
}
double joules_of(std::int64_t nanojoules) {
  return static_cast<double>(nanojoules) / 1e9;
}
double energy_of_waits(const WaitReport& /*report*/, const PathWaits& waits) {
  return joules_of(waits.energy.spent_nj);
}
double saving_of_waits(const WaitReport& /*report*/, const PathWaits& waits) {
  return joules_of(waits.energy.saving_nj);
}
double busy_saving_of_waits(const WaitReport& /*report*/, const PathWaits& waits) {
  return joules_of(waits.energy.busy_saving_nj);
}

// From a location's first event to its last, less what was spent in regions.
void add_time_in_no_region(const WaitReport& report, const Add& add) {
  std::vector<std::uint64_t> known(report.locations.size());
  for (const PathTime& time : report.times)
    if (time.location < known.size()) known[time.location] += time.ticks;
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    const ReportLocation& at = report.locations[i];
    const std::uint64_t all = at.end - std::min(at.begin, at.end);
    add(CallPath::kRoot, i, seconds_of(report, all - std::min(known[i], all)));
  }
}

// All wait states, or those of one pattern.
Values values_of_waits(const WaitReport& report, std::optional<WaitPattern> pattern,
                       OfWaits value_of) {
  return [&report, pattern, value_of](const Add& add) {
    for (const PathWaits& waits : report.waits)
      if (!pattern || waits.pattern == *pattern)
        add(waits.call_path, waits.location, value_of(report, waits));
  };
}

Values values_of_time(const WaitReport& report) {
  return [&report](const Add& add) {
    for (const PathTime& entry : report.times)
      add(entry.call_path, entry.location, seconds_of(report, entry.ticks));
    add_time_in_no_region(report, add);
  };
}

Values values_of_mpi(const WaitReport& report) {
  return [&report, in_mpi = paths_in_mpi(report)](const Add& add) {
    for (const PathTime& entry : report.times)
      if (entry.call_path < in_mpi.size() && in_mpi[entry.call_path])
        add(entry.call_path, entry.location, seconds_of(report, entry.ticks));
  };
}

Values values_of_files(const WaitReport& report) {
  return [&report, of_files = paths_of_files(report)](const Add& add) {
    for (const PathTime& entry : report.times)
      if (entry.call_path < of_files.size() && of_files[entry.call_path])
        add(entry.call_path, entry.location, seconds_of(report, entry.ticks));
  };
}

Values values_of_completion(const WaitReport& report, CompletionKind kind) {
  return [&report, kind](const Add& add) {
    for (const PathCompletion& one : report.completions)
      if (one.kind == kind) add(one.call_path, one.location, seconds_of(report, one.ticks));
  };
}

Values values_of_visits(const WaitReport& report) {
  return [&report](const Add& add) {
    for (const PathTime& entry : report.times)
      add(entry.call_path, entry.location, static_cast<double>(entry.visits));
  };
}

// Studies know ranks: their values are those of the rank's first thread. A rank that has no thread
// of its own in the trace is left out.
class AtRank {
 public:
  explicit AtRank(const WaitReport& report) {
    for (std::uint32_t i = 0; i < report.locations.size(); ++i)
      if (report.locations[i].thread == 0) locations_.emplace(report.locations[i].rank, i);
  }
  void operator()(std::uint32_t rank, std::uint32_t path, double value, const Add& add) const {
    if (const auto known = locations_.find(rank); known != locations_.end())
      add(path, known->second, value);
  }

 private:
  std::map<std::uint32_t, std::uint32_t> locations_;
};

Values values_of_critical_path(const WaitReport& report, const CriticalPath& path) {
  return [&report, &path, at_rank = AtRank(report)](const Add& add) {
    for (const CriticalPathShare& share : path.shares)
      at_rank(share.rank, share.call_path, seconds_of(report, share.on_path), add);
  };
}

Values values_of_imbalance(const WaitReport& report, const CriticalPath& path) {
  return [&report, &path, at_rank = AtRank(report)](const Add& add) {
    std::map<std::uint32_t, const CriticalCallPath*> of;
    for (const CriticalCallPath& entry : path.call_paths) of[entry.call_path] = &entry;
    for (const CriticalPathShare& share : path.shares) {
      const auto whole = of.find(share.call_path);
      if (whole == of.end() || whole->second->on_path == 0) continue;
      const double part =
          static_cast<double>(share.on_path) / static_cast<double>(whole->second->on_path);
      at_rank(share.rank, share.call_path, part * seconds_of(report, whole->second->imbalance),
              add);
    }
  };
}

Values values_of_slack(const WaitReport& report, const SlackReport& slack) {
  return [&report, &slack, at_rank = AtRank(report)](const Add& add) {
    for (const PathSlack& entry : slack.call_paths)
      at_rank(entry.rank, entry.call_path, seconds_of(report, entry.apportioned), add);
  };
}

Values values_of_energy(const WaitReport& report, const std::vector<PathEnergy>& energies) {
  return [&energies, at_rank = AtRank(report)](const Add& add) {
    for (const PathEnergy& energy : energies)
      at_rank(energy.rank, energy.call_path, energy.joules, add);
  };
}

Values values_of_counter(const WaitReport& report, std::uint32_t counter) {
  return [&report, counter](const Add& add) {
    for (const PathCount& count : report.counts)
      if (count.counter == counter) add(count.call_path, count.location, count.value);
  };
}

CubeMetric::Values values_of_delays(const WaitReport& report, const DelayReport& delays,
                                    bool direct, bool propagated) {
  return [&report, &delays, direct, propagated](const Add& add) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> locations;  // rank, thread
    for (std::uint32_t i = 0; i < report.locations.size(); ++i)
      locations.emplace(std::pair(report.locations[i].rank, report.locations[i].thread), i);
    for (const DelayCost& cost : delays.costs) {
      const auto known = locations.find({cost.rank, cost.thread});
      const double ticks = (direct ? cost.short_term : 0) + (propagated ? cost.long_term : 0);
      if (known != locations.end())
        add(cost.call_path, known->second, ticks / static_cast<double>(report.ticks_per_second));
    }
  };
}

int add_metric(std::vector<CubeMetric>& metrics, CubeMetric metric) {
  metrics.push_back(std::move(metric));
  return static_cast<int>(metrics.size()) - 1;
}

void add_times(std::vector<CubeMetric>& metrics, const WaitReport& report) {
  const int time = add_metric(
      metrics,
      {.name = "time",
       .title = "Time",
       .unit = "sec",
       .explanation =
           "From a thread's first event to its last. Time in no known region is the root's own.",
       .values = values_of_time(report)});
  const int mpi =
      add_metric(metrics, {.name = "mpi",
                           .title = "MPI",
                           .unit = "sec",
                           .explanation = "Time in calls of MPI, waiting in them included.",
                           .parent = time,
                           .values = values_of_mpi(report)});
  add_metric(metrics,
             {.name = "file_access",
              .title = "MPI-IO",
              .unit = "sec",
              .explanation = "Time in MPI's functions for files, waiting in them included.",
              .parent = mpi,
              .values = values_of_files(report)});
  for (std::size_t i = 0; i < kCompletionKinds; ++i) {
    const auto kind = static_cast<CompletionKind>(i);
    add_metric(metrics,
               {.name = std::string(name_of(kind)),
                .title = std::string(title_of(kind)),
                .unit = "sec",
                .explanation = "Time in the operation after its first member had left: no waiting.",
                .parent = mpi,
                .values = values_of_completion(report, kind)});
  }
  add_metric(metrics, {.name = "visits",
                       .title = "Visits",
                       .unit = "occ",
                       .explanation = "How often a call path was entered.",
                       .whole = true,
                       .values = values_of_visits(report)});
}

// A metric of all wait states, and below it one for each pattern.
void add_by_pattern(std::vector<CubeMetric>& metrics, const WaitReport& report, CubeMetric all,
                    const std::string& suffix, OfWaits value_of) {
  all.values = values_of_waits(report, {}, value_of);
  CubeMetric one = all;
  one.parent = add_metric(metrics, std::move(all));
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const auto pattern = static_cast<WaitPattern>(i);
    one.name = std::string(name_of(pattern)) + suffix;
    one.title = title_of(pattern);
    one.values = values_of_waits(report, pattern, value_of);
    add_metric(metrics, one);
  }
}

void add_waits(std::vector<CubeMetric>& metrics, const WaitReport& report) {
  add_by_pattern(metrics, report,
                 {.name = "waiting",
                  .title = "Waiting",
                  .unit = "sec",
                  .explanation = "Time until a partner has come."},
                 "", time_of_waits);
  add_metric(metrics, {.name = "wait_states",
                       .title = "Wait states",
                       .unit = "occ",
                       .explanation = "How many wait states there are.",
                       .whole = true,
                       .values = values_of_waits(report, {}, count_of_waits)});
  add_by_pattern(
      metrics, report,
      {.name = "waiting_energy",
       .title = "Energy of waiting",
       .unit = "J",
       .explanation = "What cores take while they wait. Power: " + report.power.origin + "."},
      "_energy", energy_of_waits);
  add_metric(metrics, {.name = "esp",
                       .title = "Energy-saving potential, waiting idle",
                       .unit = "J",
                       .explanation = "What waiting idle could save at most (Knobloch et al.).",
                       .values = values_of_waits(report, {}, saving_of_waits)});
  add_metric(metrics, {.name = "esp_bw",
                       .title = "Energy-saving potential, waiting busy",
                       .unit = "J",
                       .explanation = "What waiting busy in another power state could save at most "
                                      "(Knobloch et al.).",
                       .values = values_of_waits(report, {}, busy_saving_of_waits)});
}

void add_study(std::vector<CubeMetric>& metrics, const WaitReport& report, const RunStudy& study) {
  if (study.critical_path) {
    add_metric(
        metrics,
        {.name = "critical_path",
         .title = "On the critical path",
         .unit = "sec",
         .explanation = "The chain of work without waiting that made the run as long as it was.",
         .values = values_of_critical_path(report, *study.critical_path)});
    add_metric(metrics,
               {.name = "critical_path_imbalance",
                .title = "Critical-path imbalance",
                .unit = "sec",
                .explanation =
                    "How much shorter the run could be if a call path's work were spread evenly "
                    "(Boehme et al.). It is a figure of a call path, given to ranks in proportion "
                    "to their time on the critical path.",
                .values = values_of_imbalance(report, *study.critical_path)});
  }
  if (study.energy)
    add_metric(metrics, {.name = "measured_energy",
                         .title = "Energy, measured",
                         .unit = "J",
                         .explanation = "What a rank's first thread took: its equal share of its "
                                        "node's energy, as sensors showed it.",
                         .values = values_of_energy(report, *study.energy)});
  if (study.slack)
    add_metric(metrics, {.name = "slack",
                         .title = "Slack",
                         .unit = "sec",
                         .explanation = "By how much computation could take longer, all of it at "
                                        "once, without making the run longer.",
                         .values = values_of_slack(report, *study.slack)});
}

void add_delays(std::vector<CubeMetric>& metrics, const WaitReport& report,
                const DelayReport& delays) {
  const int all = add_metric(
      metrics, {.name = "delay_costs",
                .title = "Costs of delays",
                .unit = "sec",
                .explanation = "What made others wait, at the place that was late (Boehme et al.).",
                .values = values_of_delays(report, delays, true, true)});
  add_metric(metrics, {.name = "delay_costs_direct",
                       .title = "Direct",
                       .unit = "sec",
                       .explanation = "What others waited for this thread itself.",
                       .parent = all,
                       .values = values_of_delays(report, delays, true, false)});
  add_metric(metrics,
             {.name = "delay_costs_propagated",
              .title = "Propagated",
              .unit = "sec",
              .explanation = "What others waited for one that had waited itself, and so on back to "
                             "the delay here.",
              .parent = all,
              .values = values_of_delays(report, delays, false, true)});
}

// Levels are no sums: Cube could not add them up.
void add_counters(std::vector<CubeMetric>& metrics, const WaitReport& report) {
  for (std::uint32_t i = 0; i < report.counters.size(); ++i) {
    const ReportCounter& counter = report.counters[i];
    if (counter.level) continue;
    add_metric(
        metrics,
        {.name = "counter_" + std::to_string(i),
         .title = shortened(counter.name),
         .unit = counter.unit.empty() ? "#" : shortened(counter.unit),
         .explanation = counter.exact ? "A counter of the trace, read at each begin and end of a "
                                        "region."
                                      : "A counter of the trace; amounts between two readings are "
                                        "shared among call paths by their time.",
         .values = values_of_counter(report, i)});
  }
}

}  // namespace

std::vector<CubeMetric> cube_metrics(const WaitReport& report, const RunStudy& study) {
  std::vector<CubeMetric> metrics;
  add_times(metrics, report);
  add_waits(metrics, report);
  add_study(metrics, report, study);
  if (study.delays) add_delays(metrics, report, *study.delays);
  add_counters(metrics, report);
  return metrics;
}

CubeCells cube_cells(const WaitReport& report, const CubeCallTree& calls,
                     const CubeSystemTree& system, const CubeMetric& metric) {
  CubeCells cells;
  metric.values([&](std::uint32_t path, std::uint32_t location, double value) {
    if ((path != CallPath::kRoot && path >= calls.node_of_path.size()) ||
        location >= system.place_of_location.size())
      throw Error("the report of " + shortened(report.trace) +
                  " has an entry of a call path or a location that it does not have");
    if (value == 0) return;
    std::vector<double>& row = cells[path == CallPath::kRoot ? 0 : calls.node_of_path[path]];
    if (row.empty()) row.resize(system.place_of_location.size());
    row[system.place_of_location[location]] += value;
  });
  if (cells.empty()) cells[0].resize(system.place_of_location.size());
  return cells;
}

}  // namespace huddle
