#include "aggregator/waitstates/criticalpath/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

bool needs_slack(const StudyRequest& request) {
  return request.slack || std::any_of(request.what_ifs.begin(), request.what_ifs.end(),
                                      [](const WhatIf& what_if) { return what_if.by_slack; });
}

// What the log was made of goes: memory, and more room on the disk than the log itself takes.
ActivityLog sorted(ActivityBuffer buffer, const WaitReport& report,
                   const traces::TraceDefinitions& definitions) {
  return make_activity_log(buffer, report, definitions);
}

void check_fits(const Profile& profile, std::size_t ranks) {
  if (!profile.complete)
    throw Error(fmt::format(
        "the profile of \"{}\" is of a run that was cut short ({}): what a trace shows can't be "
        "added to it; take the profile of a whole run",
        profile.label, profile.cut_short_reason));
  if (profile.ranks != ranks)
    throw Error(fmt::format(
        "the profile of \"{}\" is of {} ranks, the trace of {}: expected are two runs of the same "
        "program with as many ranks",
        profile.label, profile.ranks, ranks));
}

}  // namespace

RunStudy study_of(ActivityBuffer buffer, const WaitReport& report,
                  const traces::TraceDefinitions& definitions, const StudyRequest& request) {
  const ActivityLog log = sorted(std::move(buffer), report, definitions);
  RunStudy study;
  if (request.critical_path) study.critical_path = critical_path_of(log);
  if (needs_slack(request)) study.slack = slack_of(log);
  if (request.delays) study.delays = delays_of(log);
  if (request.efficiency) study.efficiency = trace_efficiency_of(log);
  for (const WhatIf& question : request.what_ifs)
    study.what_ifs.push_back(
        what_if(log, question, report.power, study.slack ? &*study.slack : nullptr));
  return study;
}

Profile with_wait_states(Profile profile, const WaitReport& report, const SlackReport& slack) {
  check_fits(profile, slack.ranks.size());
  const auto seconds = [&](auto ticks) {
    return Seconds{static_cast<double>(ticks) / static_cast<double>(report.ticks_per_second)};
  };
  WaitSummary summary;
  summary.origin = "trace";
  summary.run_time = seconds(slack.run_time);
  summary.stretched_run_time = seconds(slack.stretched_run_time);
  for (const RankSlack& rank : slack.ranks) {
    const double growth = static_cast<double>(rank.computation) * (rank.stretch - 1);
    summary.ranks.push_back({{0}, seconds(rank.computation), seconds(growth)});
  }
  for (const ReportLocation& location : report.locations)
    if (location.thread == 0)
      summary.ranks.at(location.rank).run_time = seconds(location.end - location.begin);
  std::map<std::string, std::vector<std::uint64_t>> patterns;  // ticks
  for (const PathWaits& waits : report.waits) {
    std::vector<std::uint64_t>& by_rank = patterns[std::string(name_of(waits.pattern))];
    by_rank.resize(profile.ranks);
    by_rank.at(report.locations.at(waits.location).rank) += waits.ticks;
  }
  for (const auto& [pattern, waited] : patterns) {
    PatternWaitSummary& entry = summary.patterns.emplace_back();
    entry.pattern = pattern;
    for (const std::uint64_t ticks : waited) entry.waited.push_back(seconds(ticks));
  }
  profile.wait_states = std::move(summary);
  return profile;
}

}  // namespace huddle::waitstates
