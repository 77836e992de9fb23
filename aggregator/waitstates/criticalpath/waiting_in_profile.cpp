#include "aggregator/waitstates/criticalpath/waiting_in_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void check(const Profile& profile, std::size_t ranks) {
  if (!profile.complete)
    throw Error(fmt::format(
        "the profile of \"{}\" is of a run that was cut short ({}): what a trace tells can't be "
        "added to it; take the profile of a whole run",
        profile.label, profile.cut_short_reason));
  if (profile.ranks != ranks)
    throw Error(fmt::format(
        "the profile of \"{}\" is of {} ranks, the trace of {}: expected are two runs of the same "
        "program with as many ranks",
        profile.label, profile.ranks, ranks));
}

}  // namespace

Profile with_wait_states(Profile profile, const WaitReport& report, const SlackReport& slack) {
  check(profile, slack.ranks.size());
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
    PatternWaitSummary& told = summary.patterns.emplace_back();
    told.pattern = pattern;
    for (const std::uint64_t ticks : waited) told.waited.push_back(seconds(ticks));
  }
  profile.wait_states = std::move(summary);
  return profile;
}

}  // namespace huddle
