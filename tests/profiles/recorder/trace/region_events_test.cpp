#include "profiles/recorder/trace/region_events.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

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

class Teller {
 public:
  // A call of MPI of 10 ns at `time`.
  void call(std::uint64_t time, std::uint32_t operation, std::uint32_t path) {
    tell({.time = time, .subject = operation, .tag = path, .kind = EventKind::kEnter});
    tell({.time = time + 10, .subject = operation, .tag = path, .kind = EventKind::kLeave});
  }
  void tell(const Event& event) { story_.tell({&event, 1}, told_); }
  void end() { story_.end(told_); }

  // "10+5" for an enter of region 5 at time 10.
  std::string text() const {
    std::string text;
    for (const Event& event : told_) {
      const char* kind = event.kind == EventKind::kEnter   ? "+"
                         : event.kind == EventKind::kLeave ? "-"
                                                           : "!";
      text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", event.time, kind, event.subject);
    }
    return text;
  }
  RegionEvents& story() { return story_; }

 private:
  CallPathFunctions functions_ = functions();
  ClockLine clock_{in_nanoseconds()};
  RegionEvents story_{functions_, kOperations, clock_};
  std::vector<Event> told_;
};

}  // namespace

TEST_CASE("a function is entered before its first call of MPI, and left behind its last one") {
  Teller teller;
  teller.call(100, 1, 0);
  teller.call(200, 2, 1);
  teller.call(300, 2, 2);
  teller.call(400, 1, 0);
  teller.end();
  CHECK(teller.text() ==
        "100+5 100+1 110-1 "
        "200+6 200+2 210-2 300+2 310-2 310-6 "
        "400+1 410-1 410-5");
}

TEST_CASE("two calls of one function are told apart by where they were made") {
  Teller teller;
  teller.call(100, 1, 1);
  teller.call(200, 1, 3);
  teller.end();
  CHECK(teller.text() == "100+5 100+6 100+1 110-1 110-6 200+6 200+1 210-1 210-6 210-5");
}

TEST_CASE("where a path is not known, no function is said to be around the call") {
  Teller teller;
  teller.call(100, 1, 1);
  teller.call(200, 1, RecordedTrace::kNoCallPath);
  teller.end();
  CHECK(teller.text() == "100+5 100+6 100+1 110-1 110-6 110-5 200+1 210-1");
}

TEST_CASE("calls of MPI within one of MPI are in the functions around the outer one") {
  Teller teller;
  teller.tell({.time = 10, .subject = 1, .tag = 0, .kind = EventKind::kEnter});
  teller.call(20, 2, 3);
  teller.tell({.time = 50, .subject = 1, .tag = 0, .kind = EventKind::kLeave});
  teller.end();
  CHECK(teller.text() == "10+5 10+1 20+2 30-2 50-1 50-5");
}

TEST_CASE("what was entered when the recording ended is left, and a leave without enter is not") {
  Teller teller;
  teller.tell({.time = 5, .subject = 1, .tag = 0, .kind = EventKind::kLeave});
  teller.tell({.time = 10, .subject = 1, .tag = 1, .kind = EventKind::kEnter});
  teller.tell({.time = 15, .subject = 0, .peer = 3, .kind = EventKind::kSend});
  teller.end();
  CHECK(teller.text() == "10+5 10+6 10+1 15!0 15-1 15-6 15-5");
  CHECK(teller.story().last_time() == 15);
}

TEST_CASE("messages with processes of other worlds are left out and counted") {
  Teller teller;
  teller.tell({.time = 1, .subject = 0, .peer = kNobody, .kind = EventKind::kSend});
  teller.tell({.time = 2, .subject = 0, .peer = kNobody, .kind = EventKind::kCollectiveEnd});
  CHECK(teller.story().foreign() == 1);
  CHECK(teller.text() == "2!0");
}

TEST_CASE("events that name what there is not are refused") {
  Teller teller;
  CHECK(error_of([&] { teller.call(1, kOperations, 0); }) ==
        "a recorded event names operation 5, and there are 5");
  CHECK(error_of([&] { teller.call(1, 0, 4); }) ==
        "a recorded event names call path 4, and there are 4");
}

}  // namespace huddle::recorder
