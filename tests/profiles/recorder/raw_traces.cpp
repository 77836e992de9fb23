#include "tests/profiles/recorder/raw_traces.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 33U;

std::vector<traces::Event> events_of(const RecordedThread& thread) {
  std::vector<traces::Event> events;
  EventFile file(thread);
  for (const auto* some = &file.next(); !some->empty(); some = &file.next())
    events.insert(events.end(), some->begin(), some->end());
  return events;
}

bool is_of_communicator(traces::EventKind kind) {
  return kind == traces::EventKind::kSend || kind == traces::EventKind::kIsend ||
         kind == traces::EventKind::kRecv || kind == traces::EventKind::kIrecv ||
         kind == traces::EventKind::kCollectiveEnd ||
         kind == traces::EventKind::kCollectiveComplete ||
         kind == traces::EventKind::kFileCollective;
}

bool is_of_window(traces::EventKind kind) {
  return kind == traces::EventKind::kOneSided || kind == traces::EventKind::kWindowLocked ||
         kind == traces::EventKind::kWindowUnlocked ||
         (kind >= traces::EventKind::kWindowCreated && kind <= traces::EventKind::kWindowWait);
}

// Checks what must hold of each thread by itself.
class ThreadCheck {
 public:
  explicit ThreadCheck(const RawTrace& trace) : trace_(trace) {}

  void see(const traces::Event& event) {
    if (event.time < last_) throw Error("time falls");
    last_ = event.time;
    if (event.kind == traces::EventKind::kEnter) {
      if (event.tag != RecordedTrace::kNoCallPath)
        static_cast<void>(trace_.recorded.call_paths.at(event.tag));
      static_cast<void>(trace_.operation(event));
      return open_.push_back(event.subject);
    }
    if (open_.empty()) throw Error("an event is outside of all calls");
    if (is_of_communicator(event.kind)) static_cast<void>(trace_.communicator(event.subject));
    if (is_of_window(event.kind)) static_cast<void>(trace_.recorded.windows.at(event.subject));
    if (event.group != traces::kNobody) static_cast<void>(trace_.recorded.groups.at(event.group));
    if (event.kind != traces::EventKind::kLeave) return;
    if (open_.back() != event.subject) throw Error("a call is left that was not entered");
    open_.pop_back();
  }

 private:
  const RawTrace& trace_;
  std::uint64_t last_ = 0;
  std::vector<std::uint32_t> open_;
};

}  // namespace

std::vector<std::uint32_t> RawTrace::members(std::uint32_t group) const {
  if (group != RecordedTrace::kEverybody) return recorded.groups.at(group);
  std::vector<std::uint32_t> all(recorded.ranks);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::map<std::uint32_t, RawTrace> read_raw_traces(const std::filesystem::path& folder) {
  std::map<std::uint32_t, RawTrace> traces;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".definitions") continue;
    RawTrace trace;
    trace.recorded = RecordedTrace::unpacked(files::read_file(entry.path(), kLargestFile),
                                             entry.path().native());
    for (const auto& path : trace.recorded.call_paths)
      for (const CallFrame& frame : path)
        static_cast<void>(trace.recorded.modules.at(frame.module));
    for (const RecordedThread& thread : trace.recorded.threads) {
      ThreadCheck check(trace);
      for (const traces::Event& event : trace.threads.emplace_back(events_of(thread)))
        check.see(event);
    }
    const std::uint32_t rank = trace.recorded.rank;
    traces.emplace(rank, std::move(trace));
  }
  if (traces.empty()) throw Error(fmt::format("{} holds no rank's trace", folder.native()));
  return traces;
}

std::string name_of(traces::EventKind kind) {
  static constexpr auto kNames = std::to_array<std::string_view>({"enter",
                                                                  "leave",
                                                                  "send",
                                                                  "isend",
                                                                  "isend_complete",
                                                                  "irecv_request",
                                                                  "recv",
                                                                  "irecv",
                                                                  "tested",
                                                                  "cancelled",
                                                                  "collective",
                                                                  "collective_request",
                                                                  "collective_done",
                                                                  "window_created",
                                                                  "window_freed",
                                                                  "fence",
                                                                  "post",
                                                                  "start",
                                                                  "complete",
                                                                  "wait",
                                                                  "one_sided",
                                                                  "team_begin",
                                                                  "team_end",
                                                                  "file_collective",
                                                                  "lock",
                                                                  "unlock"});
  return std::string(kNames.at(static_cast<std::size_t>(kind)));
}

std::string name_of(traces::Collective collective) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"none", "barrier", "all_to_all", "from_root", "to_root", "scan", "other"});
  return std::string(kNames.at(static_cast<std::size_t>(collective)));
}

}  // namespace huddle::recorder
