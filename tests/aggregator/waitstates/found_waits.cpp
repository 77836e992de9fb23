#include "tests/aggregator/waitstates/found_waits.hpp"

#include <fmt/format.h>

namespace huddle::waitstates {

PowerStates two_states() {
  return {"test", "made up", {{"full", 10, 4, 0, 0}, {"half", 5, 3, 1e-6, 1e-6}}};
}

WaitReport report_of(traces::Trace& trace) {
  AnalysisOptions options;
  options.power = two_states();
  return analyse_wait_states(trace, options);
}

std::string path_name(const WaitReport& report, std::uint32_t call_path) {
  const CallPath& path = report.call_paths.at(call_path);
  if (path.parent == CallPath::kRoot) return path.region;
  return path_name(report, path.parent) + "/" + path.region;
}

FoundWaits waits_in(const WaitReport& report) {
  FoundWaits found;
  for (const PathWaits& wait : report.waits)
    found[{std::string(name_of(wait.pattern)), wait.location, path_name(report, wait.call_path)}] +=
        wait.ticks;
  return found;
}

namespace {

std::string text(const PathTime& time) {
  return fmt::format("path {} location {}: {} visits, {} ticks", time.call_path, time.location,
                     time.visits, time.ticks);
}

std::string text(const PathWaits& wait) {
  return fmt::format("{} path {} location {}: {} times, {} ticks, longest {}, {} nJ",
                     name_of(wait.pattern), wait.call_path, wait.location, wait.count, wait.ticks,
                     wait.longest, wait.energy.spent_nj);
}

template <class Item>
std::string difference(const char* what, const std::vector<Item>& one,
                       const std::vector<Item>& other) {
  for (std::size_t at = 0; at < one.size() && at < other.size(); ++at)
    if (!(one[at] == other[at]))
      return fmt::format("{}: {} | {}", what, text(one[at]), text(other[at]));
  if (one.size() == other.size()) return "";
  const auto& longer = one.size() > other.size() ? one : other;
  return fmt::format("{}: {} and {}; the first more is {}", what, one.size(), other.size(),
                     text(longer[std::min(one.size(), other.size())]));
}

}  // namespace

std::string difference(const WaitReport& one, const WaitReport& other) {
  if (one.begin != other.begin || one.end != other.end || one.events != other.events)
    return fmt::format("begin, end, events: {} {} {} | {} {} {}", one.begin, one.end, one.events,
                       other.begin, other.end, other.events);
  if (one.call_paths.size() != other.call_paths.size())
    return fmt::format("{} and {} call paths", one.call_paths.size(), other.call_paths.size());
  for (std::uint32_t path = 0; path < one.call_paths.size(); ++path)
    if (path_name(one, path) != path_name(other, path))
      return path_name(one, path) + " | " + path_name(other, path);
  if (std::string found = difference("times", one.times, other.times); !found.empty()) return found;
  if (std::string found = difference("waits", one.waits, other.waits); !found.empty()) return found;
  if (one.timeline != other.timeline) return "timelines";
  const TraceAnomalies& a = one.anomalies;
  const TraceAnomalies& b = other.anomalies;
  if (!(a == b))
    return fmt::format("anomalies: {} {} {} {} {} {} {} | {} {} {} {} {} {} {}",
                       a.receives_without_send, a.sends_without_receive, a.requests_without_end,
                       a.unfinished_collectives, a.regions_without_end, a.clock_violations,
                       a.largest_clock_violation, b.receives_without_send, b.sends_without_receive,
                       b.requests_without_end, b.unfinished_collectives, b.regions_without_end,
                       b.clock_violations, b.largest_clock_violation);
  return one.remarks == other.remarks ? "" : "remarks";
}

}  // namespace huddle::waitstates
