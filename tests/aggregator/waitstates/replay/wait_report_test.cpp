#include "aggregator/waitstates/replay/wait_report.hpp"

#include <doctest/doctest.h>

#include <set>

namespace huddle::waitstates {
namespace {

TEST_CASE("each pattern has names of its own, for people and for programs") {
  std::set<std::string_view> titles;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const auto pattern = static_cast<WaitPattern>(i);
    CHECK(titles.insert(title_of(pattern)).second);
    CHECK(names.insert(name_of(pattern)).second);
    CHECK(name_of(pattern).find_first_not_of("abcdefghijklmnopqrstuvwxyz_") ==
          std::string_view::npos);
  }
  CHECK(title_of(WaitPattern::kLateReceiver) == "Late Receiver");
  CHECK(name_of(WaitPattern::kWaitAtOpenmpBarrier) == "wait_at_openmp_barrier");
}

TEST_CASE("each anomaly has its sentence, for one and for many") {
  const auto sentence = [](std::uint64_t TraceAnomalies::*kind, std::uint64_t count) {
    WaitReport report;
    report.anomalies.*kind = count;
    const std::vector<std::string> remarks = remarks_on(report);
    REQUIRE(remarks.size() == 1);
    return remarks[0];
  };
  CHECK(sentence(&TraceAnomalies::sends_without_receive, 1)
            .starts_with("1 message sent that nobody receives in this trace: "));
  CHECK(sentence(&TraceAnomalies::sends_without_receive, 2)
            .starts_with("2 messages sent that nobody receives in this trace: "));
  CHECK(sentence(&TraceAnomalies::requests_without_end, 1)
            .starts_with("1 request that does not end in this trace: "));
  CHECK(sentence(&TraceAnomalies::requests_without_end, 3)
            .starts_with("3 requests that do not end in this trace: "));
  CHECK(sentence(&TraceAnomalies::regions_without_end, 1)
            .starts_with("1 region that does not end: "));
  CHECK(sentence(&TraceAnomalies::regions_without_end, UINT64_MAX)
            .starts_with("18446744073709551615 regions that do not end: "));
}

TEST_CASE("by how much a clock was wrong is in seconds of the trace") {
  WaitReport report;
  report.ticks_per_second = 2'000'000;
  report.anomalies.clock_violations = 2;
  report.anomalies.largest_clock_violation = 3'000;
  REQUIRE(remarks_on(report).size() == 1);
  CHECK(remarks_on(report)[0].starts_with(
      "2 messages that arrived before they were sent, by up to 0.0015 s: "));
}

}  // namespace
}  // namespace huddle::waitstates
