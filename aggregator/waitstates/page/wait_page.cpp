#include "aggregator/waitstates/page/wait_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aggregator/render/webpage/page_source.hpp"
#include "aggregator/render/webpage/web_page.hpp"
#include "aggregator/waitstates/page/detail/page_data.hpp"
#include "aggregator/waitstates/replay/wait_sums.hpp"

namespace huddle::waitstates {
namespace {

// Where each rank's first thread is.
using PageLocations = std::map<std::uint32_t, std::uint32_t>;

PageLocations locations_of(const WaitReport& report) {
  PageLocations locations;
  for (std::uint32_t i = 0; i < report.locations.size(); ++i)
    if (report.locations[i].thread == 0) locations.emplace(report.locations[i].rank, i);
  return locations;
}

// One of the two kinds of costs.
PageMeasure cost_measure(const DelayReport& delays, double DelayCost::*cost,
                         const PageLocations& locations) {
  PageMeasure measure;
  for (const DelayCost& entry : delays.costs)
    if (const auto known = locations.find(entry.rank); known != locations.end())
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
          "MPI of the ranks' first threads.",
          {},
          {std::move(direct), std::move(propagated)}};
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

}  // namespace

PageExtras page_extras_of(const RunStudy& study, const WaitReport& report) {
  const PageLocations locations = locations_of(report);
  // A rank that has no thread of its own in the trace is left out.
  const auto at_location = [&](std::uint32_t rank, auto use) {
    if (const auto known = locations.find(rank); known != locations.end()) use(known->second);
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
  add_file_access(extras, report);
  return extras;
}

std::string wait_page(const WaitReport& report, const PageExtras& extras,
                      const PageOptions& options) {
  const std::size_t most_rows = std::min(
      options.most_cells / std::max<std::size_t>(report.call_paths.size(), 1), options.most_rows);
  const PageRows rows = rows_of(report, most_rows);
  return render::web_page(render::kWaitPage, page_data(report, extras, rows));
}

}  // namespace huddle::waitstates
