#include "tests/profiles/recorder/recorded_run.hpp"

#include <fmt/format.h>

#include <array>

#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/traces/trace.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"

namespace huddle::recorder {

RecordedTrace RecordedRun::put(std::uint32_t rank, std::span<const traces::Event> events) const {
  std::filesystem::create_directories(folder);
  RecordedTrace trace;
  trace.rank = rank;
  trace.ranks = ranks;
  trace.node = rank % 2 == 0 ? "n0" : "n1";
  trace.ticks_per_second = 1e9;
  trace.operations = {"MPI_Send", "MPI_Recv", "MPI_Barrier"};
  trace.communicators.push_back(
      {1, "MPI_COMM_WORLD", RecordedTrace::kEverybody, RecordedTrace::kNoGroup, false});
  trace.raw_folder = folder;
  const std::string bytes = packed(events);
  trace.threads.push_back({folder / fmt::format("{}.0.events", rank), bytes.size()});
  store::put_file(trace.threads[0].file, bytes);
  return trace;
}

void RecordedRun::leave(std::uint32_t rank, std::span<const traces::Event> events,
                        bool killed) const {
  RecordedTrace trace = put(rank, events);
  if (killed) {
    trace.threads[0].bytes = RecordedThread::kUnknown;
    trace.remarks.emplace_back("the run was killed");
  }
  leave_definitions(trace);
}

void RecordedRun::leave_definitions(const RecordedTrace& trace) const {
  store::put_file(folder / fmt::format("{}.definitions", trace.rank), trace.packed());
}

traces::Event event_of(traces::EventKind kind, std::uint64_t time, std::uint32_t subject,
                       std::uint32_t peer) {
  traces::Event event;
  event.kind = kind;
  event.time = time;
  event.subject = subject;
  event.peer = peer;
  return event;
}

std::vector<traces::Event> call(std::uint32_t operation, std::uint64_t begin, std::uint64_t end,
                                const std::vector<traces::Event>& inside) {
  traces::Event enter = event_of(traces::EventKind::kEnter, begin, operation);
  enter.tag = RecordedTrace::kNoCallPath;
  traces::Event leave = enter;
  leave.kind = traces::EventKind::kLeave;
  leave.time = end;
  return joined({{enter}, inside, {leave}});
}

std::vector<traces::Event> joined(std::initializer_list<std::vector<traces::Event>> lists) {
  std::vector<traces::Event> all;
  for (const auto& list : lists)
    for (const traces::Event& event : list) all.push_back(event);
  return all;
}

std::string packed(std::span<const traces::Event> events) {
  EventPacker packer;
  std::string bytes;
  for (const traces::Event& event : events) {
    std::array<std::uint8_t, packing::kLargest> one{};
    std::uint8_t* const end = packer.pack(event, one.data());
    bytes.append(one.data(), end);
  }
  return bytes;
}

std::vector<std::string> lines_of(const std::filesystem::path& folder, std::uint32_t location) {
  const auto trace = traces::open_otf2(folder);
  const auto& regions = trace->definitions().regions;
  std::vector<std::string> lines;
  const auto stream = trace->events_of(location);
  for (const traces::Event& event : traces::all_events(*stream)) {
    if (event.kind == traces::EventKind::kEnter)
      lines.push_back(fmt::format("{} enter {}", event.time, regions[event.subject].name));
    else if (event.kind == traces::EventKind::kLeave)
      lines.push_back(fmt::format("{} leave {}", event.time, regions[event.subject].name));
    else if (event.kind == traces::EventKind::kSend)
      lines.push_back(fmt::format("{} send to {}", event.time, event.peer));
    else if (event.kind == traces::EventKind::kRecv)
      lines.push_back(fmt::format("{} receive from {}", event.time, event.peer));
    else
      lines.push_back(
          fmt::format("{} another event, {}", event.time, static_cast<int>(event.kind)));
  }
  return lines;
}

}  // namespace huddle::recorder
