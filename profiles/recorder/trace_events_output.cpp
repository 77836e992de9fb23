#include "profiles/recorder/trace_events_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "profiles/recorder/call_story.hpp"
#include "profiles/recorder/clock_line.hpp"
#include "profiles/store/open_file.hpp"
#include "profiles/traces/trace_part.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr std::size_t kBlock = 4096;  // events

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

// The events of one thread, a block at a time.
class RawEvents {
 public:
  explicit RawEvents(const RecordedThread& thread)
      : file_(::open(thread.file.c_str(), O_RDONLY | O_CLOEXEC), thread.file.string()),
        name_(thread.file.string()),
        left_(thread.events) {
    if (file_.descriptor() < 0) throw SystemError("open", name_, errno);
  }

  // Empty at the end.
  const std::vector<Event>& next() {
    events_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kBlock)));
    const std::size_t bytes = events_.size() * sizeof(Event);
    const std::string text = file_.read(bytes);
    if (text.size() != bytes)
      throw FormatError(name_, "the file", fmt::format("its end {} events early", left_),
                        "the events that were written to it");
    std::memcpy(static_cast<void*>(events_.data()), text.data(), bytes);
    left_ -= events_.size();
    return events_;
  }

 private:
  OpenFile file_;
  std::string name_;
  std::uint64_t left_;
  std::vector<Event> events_;
};

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
    RawEvents raw(trace.threads[thread]);
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
