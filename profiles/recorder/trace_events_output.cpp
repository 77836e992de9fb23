#include "profiles/recorder/trace_events_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiles/recorder/call_story.hpp"
#include "profiles/recorder/clock_line.hpp"
#include "profiles/recorder/event_file.hpp"
#include "profiles/traces/trace_part.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

std::vector<std::uint32_t> ranks_of(const RecordedTrace& trace, std::uint32_t group) {
  if (group == RecordedTrace::kNoGroup) return {};
  if (group != RecordedTrace::kEverybody) return known_ranks(trace.groups.at(group));
  std::vector<std::uint32_t> all(trace.ranks);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// What this rank's events name, by its own numbers.
TraceDefinitions own_definitions(const RecordedTrace& trace, const CallPathFunctions& functions) {
  TraceDefinitions own;
  for (const std::string& name : trace.operations)
    own.regions.push_back({name, TraceRegion::Kind::kMpi});
  for (const std::string& name : functions.functions)
    own.regions.push_back({name, TraceRegion::Kind::kUser});
  for (std::uint32_t thread = 0; thread < std::max<std::size_t>(trace.threads.size(), 1); ++thread)
    own.locations.push_back({{}, trace.rank, thread, 0});
  for (const RecordedCommunicator& each : trace.communicators) {
    TraceCommunicator& whole = own.communicators.emplace_back();
    if (each.self) continue;
    whole.ranks = ranks_of(trace, each.group);
    whole.remote = ranks_of(trace, each.remote);
    if (whole.ranks.empty()) whole.ranks = {trace.rank};
  }
  for (const RecordedWindow& each : trace.windows) own.windows.push_back({{}, each.communicator});
  own.groups.resize(trace.groups.size());
  return own;
}

TraceNumbers numbers_of_part(const RecordedTrace& trace, const PieceNumbers& numbers) {
  TraceNumbers all;
  for (std::uint32_t i = 0; i < trace.operations.size(); ++i) all.regions.push_back(i);
  all.regions.insert(all.regions.end(), numbers.functions.begin(), numbers.functions.end());
  all.communicators = numbers.communicators;
  all.windows = numbers.windows;
  all.groups = numbers.groups;
  return all;
}

}  // namespace

PieceResult write_events(const RecordedTrace& trace, const CallPathFunctions& functions,
                         const PieceNumbers& numbers, const std::filesystem::path& folder) {
  PieceResult result;
  const ClockLine clock(trace);
  TracePart part(folder, own_definitions(trace, functions), numbers_of_part(trace, numbers));
  std::uint64_t foreign = 0;
  bool any = false;
  std::vector<Event> told;
  for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
    EventFile raw(trace.threads[thread]);
    CallStory story(functions, static_cast<std::uint32_t>(trace.operations.size()), clock);
    const auto write = [&] {
      if (told.empty()) return;
      result.first = any ? std::min(result.first, told[0].time) : told[0].time;
      any = true;
      part.write(thread, told);
      told.clear();
    };
    for (const auto* block = &raw.next(); !block->empty(); block = &raw.next()) {
      story.tell(*block, told);
      write();
    }
    story.end(told);
    write();
    result.last = std::max(result.last, story.last_time());
    foreign += story.foreign();
  }
  result.events = part.finish();
  result.has_events = any;
  result.clock_uncertainty_ns =
      std::max(trace.clock_begin.uncertainty_ns, trace.clock_end.uncertainty_ns);
  if (foreign > 0)
    result.remarks.push_back(
        fmt::format("{} messages are left out: their other side is no rank of this run", foreign));
  return result;
}

}  // namespace huddle::recorder
