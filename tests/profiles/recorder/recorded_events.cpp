// Prints what the recorder's raw files hold, for scripts: of each rank its definitions and events.
//
//   recorded_events RAW_FOLDER [RANK]
//
// A line for each event: rank, thread, kind, and then, where the kind has them, names and numbers.
// Times are left out. Exit status 1: something is wrong.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/recorder/raw_traces.hpp"

namespace {

using huddle::recorder::RawTrace;
using huddle::recorder::RecordedTrace;
using huddle::traces::Event;
using huddle::traces::EventKind;

std::string list_of(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) {
    if (!text.empty()) text += ',';
    text += rank == huddle::traces::kNobody ? "?" : std::to_string(rank);
  }
  return text;
}

class Dump {
 public:
  explicit Dump(const RawTrace& raw) : raw_(raw), trace_(raw.recorded) {}

  void print() const {
    std::cout << fmt::format("rank {} of {} on {}\n", trace_.rank, trace_.ranks, trace_.node);
    for (const auto& point : {trace_.clock_begin, trace_.clock_end})
      std::cout << fmt::format("clock {} is {} within {} at {} a second\n", point.ticks,
                               point.nanoseconds, point.uncertainty_ns, trace_.ticks_per_second);
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

  void print_thread(std::size_t number) const {
    const std::vector<Event>& events = raw_.threads[number];
    for (const Event& event : events)
      std::cout << fmt::format("{}.{} {}\n", trace_.rank, number, text_of(event));
    std::cout << fmt::format("{}.{} events {}\n", trace_.rank, number, events.size());
  }

  std::string text_of(const Event& event) const {
    std::string text = huddle::recorder::name_of(event.kind);
    const auto add = [&](std::string_view key, const auto& value) {
      text += fmt::format(" {} {}", key, value);
    };
    const auto peer = [&](std::string_view key) {
      if (event.peer != huddle::traces::kNobody) add(key, event.peer);
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
        add("kind", huddle::recorder::name_of(event.collective));
        peer("root"), add("bytes", event.bytes), add("in", communicator(event.subject));
        break;
      case EventKind::kOneSided:
        peer("peer"), add("bytes", event.bytes), add("window", window(event.subject));
        break;
      case EventKind::kFileCollective:
        add("bytes", event.bytes), add("in", communicator(event.subject));
        break;
      case EventKind::kWindowLocked:
      case EventKind::kWindowUnlocked:
        peer("target"), add("window", window(event.subject));
        if (event.kind == EventKind::kWindowLocked)
          return text + (event.request == 1 ? " exclusive" : " shared");
        return text;
      case EventKind::kWindowCreated:
      case EventKind::kWindowFreed:
      case EventKind::kWindowFence:
      case EventKind::kWindowPost:
      case EventKind::kWindowStart:
      case EventKind::kWindowComplete:
      case EventKind::kWindowWait:
        if (event.group != huddle::traces::kNobody) add("group", group(event.group));
        add("window", window(event.subject));
        break;
      default:
        break;
    }
    if (event.request != huddle::traces::kNoRequest) add("request", event.request);
    return text;
  }

  std::string communicator(std::uint32_t number) const {
    return fmt::format("{:016x}", trace_.communicators.at(number).key);
  }
  std::string window(std::uint32_t number) const {
    return fmt::format("{:016x}", trace_.windows.at(number).key);
  }

  const RawTrace& raw_;
  const RecordedTrace& trace_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty()) throw huddle::Error("usage: recorded_events RAW_FOLDER [RANK]");
    for (const auto& [rank, trace] : huddle::recorder::read_raw_traces(arguments[0]))
      if (arguments.size() < 2 || arguments[1] == std::to_string(rank)) Dump(trace).print();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "recorded_events: " << failure.what() << '\n';
    return 1;
  }
}
