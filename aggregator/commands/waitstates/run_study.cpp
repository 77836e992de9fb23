#include "aggregator/commands/waitstates/run_study.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle {
namespace {

bool needs_slack(const StudyRequest& request) {
  return request.slack || std::any_of(request.what_ifs.begin(), request.what_ifs.end(),
                                      [](const WhatIf& what_if) { return what_if.by_slack; });
}

// The location of each rank's first thread.
std::map<std::uint32_t, std::uint32_t> first_locations(const WaitReport& report) {
  std::map<std::uint32_t, std::uint32_t> locations;
  for (std::uint32_t i = 0; i < report.locations.size(); ++i)
    if (report.locations[i].thread == 0) locations.emplace(report.locations[i].rank, i);
  return locations;
}

}  // namespace

RunStudy study_of(ActivitySpool& spool, Exchange& exchange, const WaitReport& report,
                  const TraceDefinitions& definitions, const StudyRequest& request) {
  const ActivityLog log = make_activity_log(spool, exchange, report, definitions);
  RunStudy study;
  if (exchange.process() != 0) return study;
  if (request.critical_path) study.critical_path = critical_path_of(log);
  if (needs_slack(request)) study.slack = slack_of(log);
  for (const WhatIf& what_if_asked : request.what_ifs)
    study.what_ifs.push_back(
        what_if(log, what_if_asked, report.power, study.slack ? &*study.slack : nullptr));
  return study;
}

PageExtras page_extras_of(const RunStudy& study, const WaitReport& report) {
  const std::map<std::uint32_t, std::uint32_t> locations = first_locations(report);
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
    for (const CriticalStretch& stretch : study.critical_path->stretches)
      at_location(stretch.rank, [&](std::uint32_t location) {
        extras.critical_path.push_back({location, stretch.begin, stretch.end});
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
  return extras;
}

}  // namespace huddle
