#include "aggregator/waitstates/replay/path_counters.hpp"

#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "aggregator/waitstates/replay/analysis.hpp"
#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

// A memory trace with values between its events.
struct CountedTrace : CounterTrace {
  explicit CountedTrace(std::uint32_t ranks) : trace(ranks), samples(ranks) {}

  MemoryTrace trace;
  std::vector<TraceCounter> all;
  struct Sample {
    std::size_t before = 0;  // event
    std::uint64_t time = 0;
    std::vector<CounterValue> values;
  };
  std::vector<std::vector<Sample>> samples;  // by location

  void count(std::uint32_t location, std::uint64_t time, std::uint32_t counter, double value) {
    CounterValue made;
    made.counter = counter;
    made.type = CounterValue::Type::kSigned;
    made.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    samples[location].push_back({trace.events[location].size(), time, {made}});
  }

  [[nodiscard]] const TraceDefinitions& definitions() const override { return trace.all; }
  [[nodiscard]] const std::vector<TraceCounter>& counters() const override { return all; }
  [[nodiscard]] std::uint32_t counters_of_others() const override { return 2; }
  void visit(std::uint32_t location, CounterVisitor& visitor) override {
    std::size_t next = 0;
    for (std::size_t at = 0; at <= trace.events[location].size(); ++at) {
      for (; next < samples[location].size() && samples[location][next].before == at; ++next)
        visitor.counted(samples[location][next].time, samples[location][next].values);
      if (at < trace.events[location].size()) visitor.event(trace.events[location][at]);
    }
  }
};

using Counts = std::map<std::pair<std::uint32_t, std::string>, double>;

Counts counts_in(const WaitReport& report, std::uint32_t counter) {
  Counts found;
  for (const PathCount& count : report.counts)
    if (count.counter == counter)
      found[{count.location,
             count.call_path == CallPath::kRoot ? "-" : path_name(report, count.call_path)}] =
          count.value;
  return found;
}

WaitReport counted(CountedTrace& trace) {
  WaitReport report = report_of(trace.trace);
  add_path_counters(report, trace);
  return report;
}

}  // namespace

TEST_CASE("what is read at each begin and end of a region belongs to the region in between") {
  CountedTrace trace(1);
  trace.all = {{"cycles", "#", TraceCounter::Mode::kSinceStart, 0, true}};
  trace.count(0, 0, 0, 500);  // where counting begins says nothing
  trace.trace.enter(0, 0, "main");
  trace.count(0, 10, 0, 600);
  trace.trace.enter(0, 10, "f");
  trace.count(0, 30, 0, 900);
  trace.trace.leave(0, 30, "f");
  trace.count(0, 40, 0, 910);
  trace.trace.leave(0, 40, "main");
  const WaitReport report = counted(trace);
  CHECK(counts_in(report, 0) == Counts{{{0, "main"}, 110}, {{0, "main/f"}, 300}});
  REQUIRE(report.counters.size() == 1);
  CHECK(report.counters[0].exact);
}

TEST_CASE("a reading at the time of the one before belongs to where the location is") {
  CountedTrace trace(1);
  trace.all = {{"cycles", "#", TraceCounter::Mode::kSinceStart, 0, true}};
  trace.trace.enter(0, 0, "main");
  trace.count(0, 10, 0, 0);
  trace.trace.enter(0, 10, "f");
  trace.count(0, 10, 0, 7);
  trace.trace.leave(0, 10, "f");
  trace.trace.leave(0, 20, "main");
  CHECK(counts_in(counted(trace), 0) == Counts{{{0, "main/f"}, 7}});
}

TEST_CASE("an amount between two distant readings is shared by time") {
  CountedTrace trace(1);
  trace.all = {{"pages", "#", TraceCounter::Mode::kSinceLast, 0, false}};
  trace.trace.enter(0, 0, "main");
  trace.count(0, 0, 0, 99);
  trace.trace.call(0, 30, 40, "f");
  trace.count(0, 80, 0, 160);
  trace.trace.leave(0, 100, "main");
  CHECK(counts_in(counted(trace), 0) == Counts{{{0, "main"}, 140}, {{0, "main/f"}, 20}});
}

TEST_CASE("a level of the time before its reading holds for that time, from the second one on") {
  CountedTrace trace(1);
  trace.all = {{"power", "W", TraceCounter::Mode::kLevelBefore, 0, false}};
  trace.trace.enter(0, 0, "main");
  trace.count(0, 0, 0, 999);
  trace.trace.call(0, 10, 30, "f");
  trace.count(0, 40, 0, 100);
  trace.trace.leave(0, 60, "main");
  const WaitReport report = counted(trace);
  CHECK(counts_in(report, 0) == Counts{{{0, "main"}, 100}, {{0, "main/f"}, 100}});
  CHECK(report.counters[0].level);
}

TEST_CASE("levels become means over time") {
  CountedTrace trace(1);
  trace.all = {{"temperature", "C", TraceCounter::Mode::kLevel, 0, false}};
  trace.trace.enter(0, 0, "main");
  trace.count(0, 0, 0, 40);
  trace.count(0, 30, 0, 50);
  trace.count(0, 40, 0, 90);
  trace.trace.leave(0, 100, "main");
  CHECK(counts_in(counted(trace), 0) == Counts{{{0, "main"}, 42.5}});
}

TEST_CASE("functions inside MPI count for the call around them") {
  CountedTrace trace(1);
  trace.all = {{"cycles", "#", TraceCounter::Mode::kSinceStart, 0, true}};
  trace.trace.enter(0, 0, "MPI_Barrier");
  trace.trace.enter(0, 1, "inside");
  trace.count(0, 10, 0, 0);
  trace.count(0, 20, 0, 5);
  trace.trace.leave(0, 30, "inside");
  trace.trace.leave(0, 40, "MPI_Barrier");
  CHECK(counts_in(counted(trace), 0) == Counts{{{0, "MPI_Barrier"}, 5}});
}

TEST_CASE("each location counts in its own call paths, and counters of others are named") {
  CountedTrace trace(3);
  trace.all = {{"cycles", "#", TraceCounter::Mode::kSinceStart, 0, true}};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    trace.count(rank, 0, 0, 0);
    trace.trace.call(rank, 0, 10, rank == 1 ? "g" : "f");
    trace.count(rank, 20, 0, 10 + rank);
  }
  const WaitReport report = counted(trace);
  CHECK(counts_in(report, 0) == Counts{{{0, "-"}, 5},
                                       {{0, "f"}, 5},
                                       {{1, "-"}, 5.5},
                                       {{1, "g"}, 5.5},
                                       {{2, "-"}, 6},
                                       {{2, "f"}, 6}});
  REQUIRE(report.remarks.size() == 1);
  CHECK(report.remarks[0].find("2 counters of nodes, processes or groups") == 0);
}
