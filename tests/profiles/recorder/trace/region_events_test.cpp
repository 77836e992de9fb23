#include "profiles/recorder/trace/region_events.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "profiles/recorder/trace/trace_unification.hpp"
#include "tests/profiles/recorder/recorded_run.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {
namespace {

// Functions of a program: main calls step, from two places, and step and main call MPI.
CallPathFunctions functions() {
  CallPathFunctions all;
  all.functions = {"main", "step"};
  using Path = std::vector<CallPathFunctions::Step>;
  all.paths = {Path{{0, {0, 10}}},                  // main
               Path{{0, {0, 20}}, {1, {0, 100}}},   // main > step
               Path{{0, {0, 20}}, {1, {0, 110}}},   // elsewhere in the same call of step
               Path{{0, {0, 30}}, {1, {0, 100}}}};  // another call of step
  return all;
}

RecordedTrace in_nanoseconds() {
  RecordedTrace trace;
  trace.ticks_per_second = 1e9;
  return trace;
}

constexpr std::uint32_t kOperations = 5;  // main is region 5, step is region 6
constexpr std::uint32_t kRegions = 2;     // of OpenMP: these are 7 and 8
constexpr std::uint32_t kTeams = 1;

class Thread {
 public:
  // A call of MPI of 10 ns at `time`.
  void call(std::uint64_t time, std::uint32_t operation, std::uint32_t path) {
    record({.time = time, .subject = operation, .tag = path, .kind = traces::EventKind::kEnter});
    record(
        {.time = time + 10, .subject = operation, .tag = path, .kind = traces::EventKind::kLeave});
  }
  void record(const traces::Event& event) { events_.convert({&event, 1}, converted_); }
  void end() { events_.end(converted_); }

  // "10+5" for an enter of region 5 at time 10.
  std::string text() const {
    std::string text;
    for (const traces::Event& event : converted_) {
      const char* kind = event.kind == traces::EventKind::kEnter   ? "+"
                         : event.kind == traces::EventKind::kLeave ? "-"
                                                                   : "!";
      text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", event.time, kind, event.subject);
    }
    return text;
  }
  RegionEvents& events() { return events_; }

 private:
  CallPathFunctions functions_ = functions();
  ClockLine clock_{in_nanoseconds()};
  RegionEvents events_{functions_, {kOperations, kRegions, kTeams}, clock_};
  std::vector<traces::Event> converted_;
};

}  // namespace

TEST_CASE("a function is entered before its first call of MPI, and left behind its last one") {
  Thread thread;
  thread.call(100, 1, 0);
  thread.call(200, 2, 1);
  thread.call(300, 2, 2);
  thread.call(400, 1, 0);
  thread.end();
  CHECK(thread.text() ==
        "100+5 100+1 110-1 "
        "200+6 200+2 210-2 300+2 310-2 310-6 "
        "400+1 410-1 410-5");
}

TEST_CASE("two calls of one function differ by where they were made") {
  Thread thread;
  thread.call(100, 1, 1);
  thread.call(200, 1, 3);
  thread.end();
  CHECK(thread.text() == "100+5 100+6 100+1 110-1 110-6 200+6 200+1 210-1 210-6 210-5");
}

TEST_CASE("where a path is not known, the call is inside of no function") {
  Thread thread;
  thread.call(100, 1, 1);
  thread.call(200, 1, RecordedTrace::kNoCallPath);
  thread.end();
  CHECK(thread.text() == "100+5 100+6 100+1 110-1 110-6 110-5 200+1 210-1");
}

TEST_CASE("calls of MPI within one of MPI are in the functions around the outer one") {
  Thread thread;
  thread.record({.time = 10, .subject = 1, .tag = 0, .kind = traces::EventKind::kEnter});
  thread.call(20, 2, 3);
  thread.record({.time = 50, .subject = 1, .tag = 0, .kind = traces::EventKind::kLeave});
  thread.end();
  CHECK(thread.text() == "10+5 10+1 20+2 30-2 50-1 50-5");
}

TEST_CASE("what was entered when the recording ended is left, and a leave without enter is not") {
  Thread thread;
  thread.record({.time = 5, .subject = 1, .tag = 0, .kind = traces::EventKind::kLeave});
  thread.record({.time = 10, .subject = 1, .tag = 1, .kind = traces::EventKind::kEnter});
  thread.record({.time = 15, .subject = 0, .peer = 3, .kind = traces::EventKind::kSend});
  thread.end();
  CHECK(thread.text() == "10+5 10+6 10+1 15!0 15-1 15-6 15-5");
  CHECK(thread.events().last_time() == 15);
}

TEST_CASE("messages with processes of other worlds are left out and counted") {
  Thread thread;
  thread.record(
      {.time = 1, .subject = 0, .peer = traces::kNobody, .kind = traces::EventKind::kSend});
  thread.record({.time = 2,
                 .subject = 0,
                 .peer = traces::kNobody,
                 .kind = traces::EventKind::kCollectiveEnd});
  CHECK(thread.events().foreign() == 1);
  CHECK(thread.text() == "2!0");
}

TEST_CASE(
    "a region of OpenMP is in the function that begins it, and calls of MPI are in the region") {
  Thread thread;
  thread.call(100, 1, 0);
  thread.record({.time = 200, .subject = kOperations, .tag = 1, .kind = traces::EventKind::kEnter});
  thread.record({.time = 201, .subject = 0, .kind = traces::EventKind::kTeamBegin});
  thread.call(210, 2, 3);
  thread.record({.time = 240,
                 .subject = kOperations + 1,
                 .tag = RecordedTrace::kNoCallPath,
                 .kind = traces::EventKind::kEnter});
  thread.record({.time = 250, .kind = traces::EventKind::kLeave});
  thread.record({.time = 250, .subject = 0, .kind = traces::EventKind::kTeamEnd});
  thread.record({.time = 250, .kind = traces::EventKind::kLeave});
  thread.call(300, 1, 0);
  thread.end();
  CHECK(thread.text() ==
        "100+5 100+1 110-1 200+6 200+7 201!0 210+2 220-2 240+8 250-8 250!0 250-7 250-6 "
        "300+1 310-1 310-5");
}

TEST_CASE("the threads of a team have regions without functions around them") {
  Thread thread;
  thread.record({.time = 5, .subject = 0, .kind = traces::EventKind::kTeamBegin});
  thread.record({.time = 5,
                 .subject = kOperations,
                 .tag = RecordedTrace::kNoCallPath,
                 .kind = traces::EventKind::kEnter});
  thread.record({.time = 9, .kind = traces::EventKind::kLeave});
  thread.record({.time = 9, .subject = 0, .kind = traces::EventKind::kTeamEnd});
  thread.end();
  CHECK(thread.text() == "5!0 5+7 9-7 9!0");
}

TEST_CASE("events that name what there is not are refused") {
  Thread thread;
  CHECK(error_of([&] { thread.call(1, kOperations + kRegions, 0); }) ==
        "a recorded event names operation 7, and there are 5 and 2 regions");
  CHECK(error_of([&] {
          thread.record({.time = 1, .subject = kTeams, .kind = traces::EventKind::kTeamBegin});
        }) == "a recorded event names team 1, and there are 1");
  CHECK(error_of([&] { thread.call(1, 0, 4); }) ==
        "a recorded event names call path 4, and there are 4");
}

namespace {

RecordedTrace clocks(double per_second, ClockPoint begin, ClockPoint end) {
  RecordedTrace trace;
  trace.ticks_per_second = per_second;
  trace.clock_begin = begin;
  trace.clock_end = end;
  return trace;
}

}  // namespace

TEST_CASE("between two comparisons of clocks, times lie on the line through both") {
  // It says 2 GHz of itself and runs 1 % slower than that.
  const ClockLine line(clocks(2e9, {1000, 5'000'000'000}, {1'980'001'000, 6'000'000'000}));
  CHECK(line.nanoseconds(1000) == 5'000'000'000);
  CHECK(line.nanoseconds(1'980'001'000) == 6'000'000'000);
  CHECK(line.nanoseconds(990'001'000) == 5'500'000'000);
}

TEST_CASE("outside of them, and with one only, the clock's own rate counts") {
  const ClockLine line(clocks(2e9, {2000, 10'000}, {4000, 12'000}));
  CHECK(line.nanoseconds(0) == 9'000);
  CHECK(line.nanoseconds(6000) == 13'000);
  const ClockLine one(clocks(2e9, {2000, 10'000}, {2000, 10'000}));
  CHECK(one.nanoseconds(4000) == 11'000);
  CHECK(one.nanoseconds(0) == 9'000);
  // The second one can't be: time would stand still or go back.
  const ClockLine back(clocks(2e9, {2000, 10'000}, {4000, 9'000}));
  CHECK(back.nanoseconds(4000) == 11'000);
}

TEST_CASE("times never fall where ticks don't, and are at least 0") {
  const ClockLine line(clocks(3e9, {3'000'000'000, 500}, {3'000'000'600, 900}));
  std::uint64_t before = 0;
  for (std::uint64_t tick = 2'999'990'000; tick < 3'000'010'000; ++tick) {
    const std::uint64_t now = line.nanoseconds(tick);
    REQUIRE(now >= before);
    before = now;
  }
  CHECK(line.nanoseconds(0) == 0);
  CHECK(line.nanoseconds(~std::uint64_t{0}) > before);
}

namespace {

using Lines = std::vector<std::string>;

// One process does what all ranks of a run do.
struct WholeTrace {
  explicit WholeTrace(const RecordedTrace& first)
      : unification(first.operations, first.ranks), folder(directory.path() / "trace") {
    std::filesystem::create_directory(folder);
  }

  PieceResult add(const RecordedTrace& trace, const CallPathFunctions& functions = {},
                  Unusable unusable = Unusable::kRefused) {
    const TracePiece piece = piece_of(trace, functions);
    std::vector<std::vector<std::uint32_t>> ranks;
    for (const std::uint32_t group : unification.new_groups(piece))
      ranks.push_back(known_ranks(trace.groups[group]));
    const PieceNumbers numbers = unification.add(piece, ranks);
    PieceResult result = write_events(trace, functions, numbers, folder, unusable);
    unification.add_result(trace.rank, result);
    return result;
  }

  void complete() {
    const traces::TraceDefinitions definitions = unification.take();
    traces::write_trace_definitions(folder, definitions,
                                    {unification.begin(), definitions.duration, 0});
  }

  store::TemporaryDirectory directory;
  TraceUnification unification;
  std::filesystem::path folder;
};

const std::vector<traces::Event> kSends =
    call(RecordedRun::kSend, 100, 140, {event_of(traces::EventKind::kSend, 110, 0, 1)});
const std::vector<traces::Event> kReceives =
    call(RecordedRun::kRecv, 50, 150, {event_of(traces::EventKind::kRecv, 150, 0, 0)});

}  // namespace

TEST_CASE("a rank's events are in the trace, by rank 0's clock") {
  const store::TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace receiver = run.put(1, kReceives);
  receiver.clock_begin = {0, 1000, 5};   // its clock is 1000 ns behind at the begin,
  receiver.clock_end = {1000, 3000, 2};  // and runs at half the speed
  const RecordedTrace sender = run.put(0, kSends);
  WholeTrace whole(sender);
  const PieceResult sent = whole.add(sender);
  CHECK(sent.events == std::vector<std::uint64_t>{3});
  CHECK(sent.has_events);
  CHECK(sent.first == 100);
  CHECK(sent.last == 140);
  CHECK(sent.remarks.empty());
  const PieceResult received = whole.add(receiver);
  CHECK(received.first == 1100);
  CHECK(received.last == 1300);
  CHECK(received.clock_uncertainty_ns == 5);
  whole.complete();
  CHECK(lines_of(whole.folder, 0) ==
        Lines{"0 enter MPI_Send", "10 send to 1", "40 leave MPI_Send"});
  CHECK(lines_of(whole.folder, 1) ==
        Lines{"1000 enter MPI_Recv", "1200 receive from 0", "1200 leave MPI_Recv"});
}

TEST_CASE("functions of the program are around its calls") {
  const store::TemporaryDirectory raw;
  RecordedRun run{raw.path() / "raw"};
  run.ranks = 1;
  std::vector<traces::Event> events =
      joined({call(RecordedRun::kBarrier, 10, 20), call(RecordedRun::kBarrier, 30, 40)});
  for (traces::Event& event : events) event.tag = 0;
  RecordedTrace trace = run.put(0, events);
  trace.call_paths = {{{0, 0x10}}};
  CallPathFunctions functions;
  functions.functions = {"main"};
  functions.paths = {{{0, {0, 0x10}}}};
  WholeTrace whole(trace);
  whole.add(trace, functions);
  whole.complete();
  CHECK(lines_of(whole.folder, 0) == Lines{"0 enter main", "0 enter MPI_Barrier",
                                           "10 leave MPI_Barrier", "20 enter MPI_Barrier",
                                           "30 leave MPI_Barrier", "30 leave main"});
}

TEST_CASE("each thread is a location of its own, and one without events is there, too") {
  const store::TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace trace = run.put(0, kSends);
  trace.threads.push_back(trace.threads[0]);
  WholeTrace whole(trace);
  CHECK(whole.add(trace).events == std::vector<std::uint64_t>{3, 3});
  RecordedTrace silent = run.put(1, {});
  const PieceResult none = whole.add(silent);
  CHECK(none.events == std::vector<std::uint64_t>{0});
  CHECK_FALSE(none.has_events);
  whole.complete();
  CHECK(lines_of(whole.folder, 1) == lines_of(whole.folder, 0));
  CHECK(lines_of(whole.folder, 2).empty());
}

TEST_CASE("messages with processes of other worlds are left out, and counted") {
  const store::TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  const RecordedTrace trace = run.put(
      0,
      joined({call(RecordedRun::kSend, 1, 2, {event_of(traces::EventKind::kSend, 1, 0)}), kSends}));
  WholeTrace whole(trace);
  CHECK(whole.add(trace).remarks ==
        Lines{"1 messages are left out: their other side is no rank of this run"});
}

TEST_CASE("events that name nothing are refused, or end the events of their thread") {
  const store::TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  const RecordedTrace trace = run.put(
      0,
      joined({kSends,
              call(RecordedRun::kSend, 200, 210, {event_of(traces::EventKind::kSend, 205, 7, 1)}),
              call(RecordedRun::kBarrier, 300, 310)}));
  {
    WholeTrace whole(trace);
    CHECK_FALSE(error_of([&] { whole.add(trace); }).empty());
  }
  WholeTrace whole(trace);
  const PieceResult result = whole.add(trace, {}, Unusable::kLeftOut);
  CHECK(result.events == std::vector<std::uint64_t>{5});
  CHECK(result.last == 200);
  CHECK(result.remarks ==
        Lines{"its last events are left out: the run ended before it was written down what they "
              "name"});
}

TEST_CASE("a damaged file is refused, or read up to its damage") {
  const store::TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace trace = run.put(0, kSends);
  store::put_file(trace.threads[0].file, packed(kSends) + "\xff\xff\xff");
  trace.threads[0].bytes += 3;
  {
    WholeTrace whole(trace);
    CHECK(error_of([&] { whole.add(trace); }).find("an event of kind 255") != std::string::npos);
  }
  WholeTrace whole(trace);
  const PieceResult result = whole.add(trace, {}, Unusable::kLeftOut);
  CHECK(result.events == std::vector<std::uint64_t>{3});
  CHECK(result.remarks ==
        Lines{"events are missing: their file is damaged, and not read beyond that place"});
}

}  // namespace huddle::recorder
