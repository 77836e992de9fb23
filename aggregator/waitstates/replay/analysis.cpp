#include "aggregator/waitstates/replay/analysis.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/detail/merged_report.hpp"
#include "aggregator/waitstates/replay/detail/trace_replay.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

void check(const traces::TraceDefinitions& definitions) {
  if (definitions.ranks.empty() || definitions.locations.empty())
    throw Error("the trace has no ranks: nothing to analyse");
  for (const traces::TraceLocation& location : definitions.locations)
    if (location.rank >= definitions.ranks.size() ||
        definitions.ranks[location.rank].locations.empty())
      throw Error("the trace has a location of a rank that it does not define");
}

std::uint64_t last_time(traces::Trace& trace, std::uint32_t location) {
  constexpr std::size_t kBatch = 512;
  std::array<traces::Event, kBatch> events;
  std::uint64_t last = 0;
  try {
    const std::unique_ptr<traces::EventStream> stream = trace.events_of(location);
    while (const std::size_t count = stream->read(events)) last = events.at(count - 1).time;
  } catch (const FormatError&) {
    // What can be read of it counts; the replay reports what is wrong.
  }
  return last;
}

// A trace that does not state its length is read once more.
std::uint64_t duration_of(traces::Trace& trace) {
  const traces::TraceDefinitions& definitions = trace.definitions();
  if (definitions.duration > 0) return definitions.duration;
  std::uint64_t last = 0;
  for (std::uint32_t location = 0; location < definitions.locations.size(); ++location)
    last = std::max(last, last_time(trace, location));
  return last;
}

TimelineAxis axis_for(traces::Trace& trace, std::uint64_t begin, std::size_t bins) {
  if (bins == 0) return {};
  const std::uint64_t end = std::max(duration_of(trace), begin + 1);
  return {begin, (end - begin + bins - 1) / bins, bins};
}

}  // namespace

WaitReport analyse_wait_states(traces::Trace& trace, const AnalysisOptions& options) {
  const traces::TraceDefinitions& definitions = trace.definitions();
  check(definitions);
  const WaitCost cost(options.power, static_cast<double>(definitions.ticks_per_second));
  MeasuredPower power;
  std::string why_no_power;
  try {
    power = MeasuredPower(trace.power(), definitions);
  } catch (const Error& error) {
    why_no_power = error.what();
  }
  TraceReplay replay(trace, cost, power, options);
  const std::uint64_t begin = replay.first_time();
  const TimelineAxis axis = axis_for(trace, begin, options.timeline_bins);
  replay.run(begin, axis);
  WaitReport report = merged_report(replay.take_findings(), definitions);
  report.power = options.power;
  report.measured = power.nodes();
  if (!why_no_power.empty())
    report.remarks.push_back("The nodes' power can't be read, and is assumed: " + why_no_power);
  report.timeline_begin = axis.begin;
  report.timeline_bin = axis.bins == 0 ? 0 : axis.bin;
  if (axis.bins == 0) report.timeline.clear();
  return report;
}

}  // namespace huddle::waitstates
