#include "tests/aggregator/waitstates/found_delays.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/run_study.hpp"

namespace huddle::waitstates {

FoundCosts FoundDelays::costs() const {
  FoundCosts all;
  for (const DelayCost& cost : delays.costs)
    all[{cost.call_path == CallPath::kRoot ? "" : path_name(report, cost.call_path), cost.rank}] = {
        std::lround(cost.short_term), std::lround(cost.long_term)};
  return all;
}

std::string FoundDelays::text() const {
  std::string text;
  for (const auto& [where, ticks] : costs())
    text += fmt::format("{} {}: {} + {}\n", where.first, where.second, ticks.first, ticks.second);
  return text;
}

double FoundDelays::sum() const {
  double sum = 0;
  for (const DelayCost& cost : delays.costs) sum += cost.short_term + cost.long_term;
  return sum;
}

std::uint64_t FoundDelays::waited() const {
  std::uint64_t sum = 0;
  for (const PathWaits& wait : report.waits) sum += wait.ticks;
  return sum;
}

FoundDelays delays_in(traces::Trace& trace, std::size_t threads, std::size_t turn) {
  ActivityBuffer buffer;
  AnalysisOptions options;
  options.power = two_states();
  options.activities = &buffer;
  options.threads = threads;
  options.turn = turn;
  StudyRequest request;
  request.delays = true;
  FoundDelays found;
  found.report = analyse_wait_states(trace, options);
  found.delays = *study_of(std::move(buffer), found.report, trace.definitions(), request).delays;
  return found;
}

}  // namespace huddle::waitstates
