#include <doctest/doctest.h>

#include <algorithm>

#include "tests/aggregator/waitstates/found_waits.hpp"
#include "tests/aggregator/waitstates/random_program.hpp"
#include "tests/aggregator/waitstates/reference_analysis.hpp"

using namespace huddle;

namespace {

waitstates::PlainReport plain(const waitstates::WaitReport& report) {
  waitstates::PlainReport all;
  for (const waitstates::PathWaits& wait : report.waits)
    all.waits[{std::string(name_of(wait.pattern)), wait.location,
               waitstates::path_name(report, wait.call_path)}] = {wait.count, wait.ticks,
                                                                  wait.longest};
  for (const waitstates::PathTime& time : report.times)
    all.times[{time.location, waitstates::path_name(report, time.call_path)}] = {time.visits,
                                                                                 time.ticks};
  all.violations = report.anomalies.clock_violations;
  return all;
}

// Other turns let ranks go on in another order.
waitstates::WaitReport report_in_turns(waitstates::MemoryTrace& trace, std::size_t events) {
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.timeline_bins = 50;
  options.turn = events;
  return waitstates::analyse_wait_states(trace, options);
}

// The first thing that one has and the other has not.
std::string difference(const waitstates::PlainReport& found,
                       const waitstates::PlainReport& expected) {
  for (const auto& [where, waits] : expected.waits) {
    const auto there = found.waits.find(where);
    if (there == found.waits.end() || !(there->second == waits))
      return std::get<0>(where) + " at " + std::to_string(std::get<1>(where)) + " in " +
             std::get<2>(where) + ": expected " + std::to_string(waits.count) + " times " +
             std::to_string(waits.ticks) + ", found " +
             (there == found.waits.end() ? "none"
                                         : std::to_string(there->second.count) + " times " +
                                               std::to_string(there->second.ticks));
  }
  for (const auto& [where, waits] : found.waits)
    if (!expected.waits.contains(where))
      return std::get<0>(where) + " at " + std::to_string(std::get<1>(where)) + " in " +
             std::get<2>(where) + ": not expected, " + std::to_string(waits.ticks);
  if (found.times != expected.times) return "times";
  return found.violations == expected.violations
             ? ""
             : "violations: expected " + std::to_string(expected.violations) + ", found " +
                   std::to_string(found.violations);
}

waitstates::WaitReport report_of_threads(waitstates::MemoryTrace& trace, std::size_t threads) {
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.timeline_bins = 30;
  options.threads = threads;
  return waitstates::analyse_wait_states(trace, options);
}

void check_waiting_is_inside_of_calls(const waitstates::WaitReport& report) {
  for (const waitstates::PathTime& time : report.times) {
    std::uint64_t waited = 0;
    for (const waitstates::PathWaits& wait : report.waits)
      if (wait.call_path == time.call_path && wait.location == time.location) waited += wait.ticks;
    CHECK(waited <= time.ticks);
  }
}

}  // namespace

TEST_CASE("random programs wait as the reference says, whatever the order of the replay") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 1 + static_cast<std::uint32_t>(seed % 7);
    program.steps = 20 + static_cast<std::uint32_t>(seed * 3 % 400);
    program.threads = 1 + static_cast<std::uint32_t>(seed % 3);
    waitstates::MemoryTrace trace = random_trace(program);
    CAPTURE(seed);
    const waitstates::WaitReport report = report_in_turns(trace, 1024);
    CHECK(difference(plain(report), waitstates::reference_analysis(trace)) == "");
    waitstates::TraceAnomalies none;
    CHECK(report.anomalies == none);
    check_waiting_is_inside_of_calls(report);
    for (const std::size_t events : {1U, 3U, 50U, 1'000'000U})
      CHECK(difference(report_in_turns(trace, events), report) == "");
  }
}

TEST_CASE("clocks that are wrong are corrected as the reference does") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 2 + static_cast<std::uint32_t>(seed % 5);
    program.threads = 1 + static_cast<std::uint32_t>(seed % 2);
    program.largest_skew = seed * 20;
    waitstates::MemoryTrace trace = random_trace(program);
    CAPTURE(seed);
    const waitstates::WaitReport report = report_in_turns(trace, 1024);
    CHECK(difference(plain(report), waitstates::reference_analysis(trace)) == "");
    check_waiting_is_inside_of_calls(report);
    CHECK(difference(report_in_turns(trace, 3), report) == "");
  }
}

TEST_CASE("traces that were cut off give one result, whatever the order of the replay") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 2 + static_cast<std::uint32_t>(seed % 6);
    program.threads = 1 + static_cast<std::uint32_t>(seed % 2);
    waitstates::MemoryTrace trace = random_trace(program);
    waitstates::cut_off(trace, seed);
    CAPTURE(seed);
    const waitstates::WaitReport report = report_in_turns(trace, 1024);
    check_waiting_is_inside_of_calls(report);
    for (const std::size_t events : {1U, 3U, 50U, 1'000'000U})
      CHECK(difference(report_in_turns(trace, events), report) == "");
  }
}

TEST_CASE("threads that read ahead change nothing, in traces that were cut off neither") {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 2 + static_cast<std::uint32_t>(seed % 6);
    program.steps = 20 + static_cast<std::uint32_t>(seed * 3 % 400);
    program.threads = 1 + static_cast<std::uint32_t>(seed % 2);
    waitstates::MemoryTrace trace = random_trace(program);
    if (seed % 2 == 0) waitstates::cut_off(trace, seed);
    CAPTURE(seed);
    const waitstates::WaitReport report = report_of_threads(trace, 1);
    for (const std::size_t threads : {2U, 3U, 7U})
      CHECK(difference(report_of_threads(trace, threads), report) == "");
  }
}
