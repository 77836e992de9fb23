#include "aggregator/waitstates/page/wait_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aggregator/render/webpage/page_source.hpp"
#include "aggregator/render/webpage/web_page.hpp"
#include "aggregator/waitstates/page/detail/page_data.hpp"
#include "aggregator/waitstates/replay/wait_sums.hpp"

namespace huddle {
namespace {

// By rank and thread.
using PageLocations = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

PageLocations locations_of(const WaitReport& report) {
  PageLocations locations;
  for (std::uint32_t i = 0; i < report.locations.size(); ++i)
    locations.emplace(std::pair(report.locations[i].rank, report.locations[i].thread), i);
  return locations;
}

// One of the two kinds of costs.
PageMeasure cost_measure(const DelayReport& delays, double DelayCost::*cost,
                         const PageLocations& locations) {
  PageMeasure measure;
  for (const DelayCost& entry : delays.costs)
    if (const auto known = locations.find({entry.rank, entry.thread}); known != locations.end())
      measure.entries.push_back(
          {entry.call_path, known->second, static_cast<std::uint64_t>(std::llround(entry.*cost))});
  return measure;
}

PageMeasure delay_measure(const DelayReport& delays, const PageLocations& locations) {
  PageMeasure direct = cost_measure(delays, &DelayCost::short_term, locations);
  direct.title = "Direct";
  direct.explanation = "What others waited for this rank itself, because it was late here.";
  PageMeasure propagated = cost_measure(delays, &DelayCost::long_term, locations);
  propagated.title = "Propagated";
  propagated.explanation =
      "What ranks waited for others that had waited themselves, and so on back to the delay here.";
  return {"Costs of delays",
          "What made others wait, at the place that was late: all costs add up to the waiting in "
          "MPI of the ranks' first threads, and that in OpenMP as far as its causes are known.",
          {},
          {std::move(direct), std::move(propagated)}};
}

// Beside waiting, where there is any.
void add_completions(PageExtras& extras, const WaitReport& report) {
  for (std::size_t i = 0; i < kCompletionKinds; ++i) {
    PageMeasure measure;
    measure.title = title_of(static_cast<CompletionKind>(i));
    measure.explanation =
        "Time in the operation after its first member had left: the operation's own, no waiting.";
    for (const PathCompletion& one : report.completions)
      if (one.kind == static_cast<CompletionKind>(i) && one.ticks > 0)
        measure.entries.push_back({one.call_path, one.location, one.ticks});
    if (!measure.entries.empty()) extras.measures.push_back(std::move(measure));
  }
}

void add_file_access(PageExtras& extras, const WaitReport& report) {
  PageMeasure measure;
  measure.title = "MPI-IO";
  measure.explanation = "Time in MPI's functions for files, waiting in them included.";
  const std::vector<bool> of_files = paths_of_files(report);
  for (const PathTime& time : report.times)
    if (time.call_path < of_files.size() && of_files[time.call_path])
      measure.entries.push_back({time.call_path, time.location, time.ticks});
  if (!measure.entries.empty()) extras.measures.push_back(std::move(measure));
}

// Levels are no sums, and numbers on the page are whole: what is counted is scaled to some
// billions.
void add_counters(PageExtras& extras, const WaitReport& report) {
  constexpr double kMostShown = 4e9;
  for (std::uint32_t i = 0; i < report.counters.size(); ++i) {
    const ReportCounter& counter = report.counters[i];
    double most = 0;
    bool whole = true;
    for (const PathCount& count : report.counts) {
      if (count.counter != i) continue;
      most = std::max(most, count.value);
      whole = whole && count.value == std::floor(count.value);
    }
    if (counter.level || most <= 0 || !std::isfinite(most)) continue;
    PageMeasure measure;
    measure.title = counter.name;
    measure.explanation =
        counter.exact ? "A counter of the trace, read at each begin and end of a region."
                      : "A counter of the trace; amounts between two readings are shared among "
                        "call paths by their time.";
    measure.unit = counter.unit == "#" ? "" : counter.unit;
    // The page has whole numbers: of units, or of so small parts that nothing shows.
    measure.factor = whole && most <= kMostShown ? 1 : most / kMostShown;
    for (const PathCount& count : report.counts)
      if (count.counter == i && count.value > 0)
        measure.entries.push_back(
            {count.call_path, count.location,
             static_cast<std::uint64_t>(std::llround(count.value / measure.factor))});
    extras.measures.push_back(std::move(measure));
  }
}

PageMeasure energy_measure(const std::vector<PathEnergy>& energies,
                           const PageLocations& locations) {
  constexpr double kMicrojoules = 1e6;
  PageMeasure measure;
  measure.title = "Energy, measured";
  measure.explanation =
      "What a rank's first thread took: its equal share of its node's energy, as sensors showed "
      "it, by time.";
  measure.unit = "J";
  measure.factor = 1 / kMicrojoules;
  for (const PathEnergy& energy : energies)
    if (const auto known = locations.find({energy.rank, 0U});
        known != locations.end() && energy.joules > 0)
      measure.entries.push_back(
          {energy.call_path, known->second,
           static_cast<std::uint64_t>(std::llround(energy.joules * kMicrojoules))});
  return measure;
}

}  // namespace

PageExtras page_extras_of(const RunStudy& study, const WaitReport& report) {
  const PageLocations locations = locations_of(report);
  // A rank that has no thread of its own in the trace is left out.
  const auto at_location = [&](std::uint32_t rank, auto use) {
    if (const auto known = locations.find({rank, 0U}); known != locations.end()) use(known->second);
  };
  PageExtras extras;
  if (study.critical_path) {
    PageMeasure on_path{"On the critical path",
                        "The chain of work without waiting that made the run as long as it was. "
                        "Ranks and call paths off it could be slower for nothing.",
                        {}};
    for (const CriticalPathShare& share : study.critical_path->shares)
      at_location(share.rank, [&](std::uint32_t location) {
        on_path.entries.push_back({share.call_path, location, share.on_path});
      });
    extras.measures.push_back(std::move(on_path));
    for (const CriticalInterval& interval : study.critical_path->intervals)
      at_location(interval.rank, [&](std::uint32_t location) {
        extras.critical_path.push_back({location, interval.begin, interval.end});
      });
  }
  if (study.timeline) extras.timeline = *study.timeline;
  if (study.slack) {
    PageMeasure slack{"Slack",
                      "By how much computation could take longer, all of it at once, without "
                      "making the run longer.",
                      {}};
    for (const PathSlack& entry : study.slack->call_paths)
      at_location(entry.rank, [&](std::uint32_t location) {
        slack.entries.push_back({entry.call_path, location, entry.apportioned});
      });
    extras.measures.push_back(std::move(slack));
  }
  if (study.delays) extras.measures.push_back(delay_measure(*study.delays, locations));
  if (study.energy) extras.measures.push_back(energy_measure(*study.energy, locations));
  add_completions(extras, report);
  add_file_access(extras, report);
  add_counters(extras, report);
  return extras;
}

std::string wait_page(const WaitReport& report, const PageExtras& extras,
                      const PageOptions& options) {
  const std::size_t most_rows = std::min(
      options.most_cells / std::max<std::size_t>(report.call_paths.size(), 1), options.most_rows);
  const PageRows rows = rows_of(report, most_rows);
  return web_page(kWaitPage, page_data(report, extras, rows));
}

}  // namespace huddle
