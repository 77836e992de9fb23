// Prints what the recorder's raw files hold, for scripts: of each rank its definitions and events.
//
//   recorded_events RAW_FOLDER [RANK]
//
// A line for each event: rank, thread, kind, and then, where the kind has them, names and numbers.
// Times are left out but for the order, which is checked. Exit status 1: something is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/recorder/recorded_trace.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/traces/event.hpp"
#include "profiles/vocabulary/error.hpp"

namespace {

using huddle::Event;
using huddle::EventKind;
using huddle::recorder::RecordedTrace;

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 32U;

constexpr auto kKinds = std::to_array<std::string_view>({"enter",
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
                                                         "team_end"});
constexpr auto kCollectives = std::to_array<std::string_view>(
    {"none", "barrier", "all_to_all", "from_root", "to_root", "scan", "other"});

std::string list_of(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) {
    if (!text.empty()) text += ',';
    text += rank == huddle::kNobody ? "?" : std::to_string(rank);
  }
  return text;
}

class Dump {
 public:
  explicit Dump(RecordedTrace trace) : trace_(std::move(trace)) {}

  void print() {
    std::cout << fmt::format("rank {} of {} on {}\n", trace_.rank, trace_.ranks, trace_.node);
    std::cout << fmt::format("clock {} to {}\n", trace_.clock_begin.uncertainty_ns,
                             trace_.clock_end.uncertainty_ns);
    for (const std::string& remark : trace_.remarks) std::cout << "remark " << remark << '\n';
    for (const auto& one : trace_.communicators)
      std::cout << fmt::format("communicator {:016x} {} {}{}{}\n", one.key, group(one.group),
                               group(one.remote), one.self ? " self" : "",
                               one.name.empty() ? "" : " \"" + one.name + '"');
    for (const auto& one : trace_.windows)
      std::cout << fmt::format("window {:016x} of {:016x}\n", one.key,
                               trace_.communicators.at(one.communicator).key);
    for (std::size_t i = 0; i < trace_.call_paths.size(); ++i) print_path(i);
    for (std::size_t i = 0; i < trace_.threads.size(); ++i) print_thread(i);
  }

 private:
  std::string group(std::uint32_t number) const {
    if (number == RecordedTrace::kNoGroup) return "-";
    if (number == RecordedTrace::kEverybody) return "all";
    return list_of(trace_.groups.at(number));
  }

  void print_path(std::size_t number) const {
    std::cout << "path " << number;
    for (const auto& frame : trace_.call_paths[number])
      std::cout << fmt::format(
          " {}+{:x}", std::filesystem::path(trace_.modules.at(frame.module)).filename().native(),
          frame.offset);
    std::cout << '\n';
  }

  void print_thread(std::size_t number) {
    const auto& thread = trace_.threads[number];
    const std::string bytes = huddle::read_file(thread.file, kLargestFile);
    if (bytes.size() < thread.events * sizeof(Event))
      throw huddle::Error(fmt::format("{} has {} bytes, {} events were told of",
                                      thread.file.native(), bytes.size(), thread.events));
    std::vector<Event> events(thread.events);
    if (!events.empty()) std::memcpy(events.data(), bytes.data(), events.size() * sizeof(Event));
    std::uint64_t last = 0;
    std::vector<std::uint32_t> open;
    for (const Event& event : events) {
      if (event.time < last) throw huddle::Error("time falls");
      last = event.time;
      follow(event, open);
      std::cout << fmt::format("{}.{} {}\n", trace_.rank, number, text_of(event));
    }
    std::cout << fmt::format("{}.{} events {} open {}\n", trace_.rank, number, events.size(),
                             open.size());
  }

  static void follow(const Event& event, std::vector<std::uint32_t>& open) {
    if (event.kind == EventKind::kEnter) open.push_back(event.subject);
    if (event.kind != EventKind::kLeave) {
      if (open.empty()) throw huddle::Error("an event is outside of all calls");
      return;
    }
    if (open.empty() || open.back() != event.subject)
      throw huddle::Error("a call is left that was not entered");
    open.pop_back();
  }

  std::string text_of(const Event& event) const {
    std::string text(kKinds.at(static_cast<std::size_t>(event.kind)));
    const auto add = [&](std::string_view key, const auto& value) {
      text += fmt::format(" {} {}", key, value);
    };
    const auto peer = [&](std::string_view key) {
      if (event.peer != huddle::kNobody) add(key, event.peer);
    };
    switch (event.kind) {
      case EventKind::kEnter:
        return text + ' ' + trace_.operations.at(event.subject) +
               fmt::format(" path {}", static_cast<std::int32_t>(event.tag));
      case EventKind::kLeave:
        return text + ' ' + trace_.operations.at(event.subject);
      case EventKind::kSend:
      case EventKind::kIsend:
      case EventKind::kRecv:
      case EventKind::kIrecv:
        peer("peer"), add("tag", event.tag), add("bytes", event.bytes);
        add("in", communicator(event.subject));
        break;
      case EventKind::kCollectiveEnd:
      case EventKind::kCollectiveComplete:
        add("kind", kCollectives.at(static_cast<std::size_t>(event.collective)));
        peer("root"), add("bytes", event.bytes), add("in", communicator(event.subject));
        break;
      case EventKind::kOneSided:
        peer("peer"), add("bytes", event.bytes), add("window", window(event.subject));
        break;
      case EventKind::kWindowCreated:
      case EventKind::kWindowFreed:
      case EventKind::kWindowFence:
      case EventKind::kWindowPost:
      case EventKind::kWindowStart:
      case EventKind::kWindowComplete:
      case EventKind::kWindowWait:
        if (event.group != huddle::kNobody) add("group", group(event.group));
        add("window", window(event.subject));
        break;
      default:
        break;
    }
    if (event.request != huddle::kNoRequest) add("request", event.request);
    return text;
  }

  std::string communicator(std::uint32_t number) const {
    return fmt::format("{:016x}", trace_.communicators.at(number).key);
  }
  std::string window(std::uint32_t number) const {
    return fmt::format("{:016x}", trace_.windows.at(number).key);
  }

  RecordedTrace trace_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty()) throw huddle::Error("usage: recorded_events RAW_FOLDER [RANK]");
    std::map<std::uint32_t, RecordedTrace> traces;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[0])) {
      if (entry.path().extension() != ".definitions") continue;
      auto trace = RecordedTrace::unpacked(huddle::read_file(entry.path(), kLargestFile),
                                           entry.path().native());
      const std::uint32_t rank = trace.rank;
      if (arguments.size() < 2 || arguments[1] == std::to_string(rank))
        traces.emplace(rank, std::move(trace));
    }
    for (auto& [rank, trace] : traces) Dump(std::move(trace)).print();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "recorded_events: " << failure.what() << '\n';
    return 1;
  }
}
