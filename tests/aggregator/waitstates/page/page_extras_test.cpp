#include <doctest/doctest.h>

#include "aggregator/waitstates/page/wait_page.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

TEST_CASE("what was not studied is not on the page") {
  const PageExtras extras = page_extras_of(RunStudy(), small_report());
  CHECK(extras.measures.empty());
  CHECK(extras.critical_path.empty());
}

TEST_CASE("a study's ranks are shown at their first threads") {
  ReportMaker maker(2, 1, 1000);
  maker.report().locations[0].rank = 1;  // ranks are in no order
  maker.report().locations[1].rank = 0;
  maker.thread(1, 1);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  const WaitReport report = maker.finish();

  RunStudy study;
  study.critical_path.emplace();
  study.critical_path->shares = {{main, 0, 40, 60}, {CallPath::kRoot, 1, 50, 50}};
  study.critical_path->intervals = {{1, 0, 50}, {0, 50, 90}};
  study.slack.emplace();
  study.slack->call_paths = {{main, 1, 30, 0, 20, 15}};

  const PageExtras extras = page_extras_of(study, report);
  REQUIRE(extras.measures.size() == 2);
  CHECK(extras.measures[0].title == "On the critical path");
  REQUIRE(extras.measures[0].entries.size() == 2);
  CHECK(extras.measures[0].entries[0].location == 1);
  CHECK(extras.measures[0].entries[0].ticks == 40);
  CHECK(extras.measures[0].entries[1].location == 0);
  CHECK(extras.measures[0].entries[1].call_path == CallPath::kRoot);
  CHECK(extras.measures[1].title == "Slack");
  REQUIRE(extras.measures[1].entries.size() == 1);
  CHECK(extras.measures[1].entries[0].location == 0);
  CHECK(extras.measures[1].entries[0].ticks == 15);
  REQUIRE(extras.critical_path.size() == 2);
  CHECK(extras.critical_path[0].location == 0);
  CHECK(extras.critical_path[1].begin == 50);
  CHECK(extras.critical_path[1].end == 90);
}

TEST_CASE("costs of delays are a measure of two parts, at the call path and rank that was late") {
  ReportMaker maker(2, 1, 1000);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  RunStudy study;
  study.delays.emplace();
  study.delays->costs = {{main, 1, 30.4, 4.6}, {CallPath::kRoot, 0, 5, 0}, {main, 7, 1, 1}};
  study.delays->waiting = 42;
  const PageExtras extras = page_extras_of(study, maker.finish());
  REQUIRE(extras.measures.size() == 1);
  const PageMeasure& costs = extras.measures[0];
  CHECK(costs.entries.empty());
  REQUIRE(costs.parts.size() == 2);
  CHECK(costs.parts[0].title == "Direct");
  REQUIRE(costs.parts[0].entries.size() == 2);  // there is no rank 7
  CHECK(costs.parts[0].entries[0].location == 1);
  CHECK(costs.parts[0].entries[0].ticks == 30);
  CHECK(costs.parts[0].entries[1].call_path == CallPath::kRoot);
  CHECK(costs.parts[1].title == "Propagated");
  CHECK(costs.parts[1].entries[0].ticks == 5);
}

TEST_CASE("a rank without a first thread in the trace is left out") {
  ReportMaker maker(2, 1, 1000);
  maker.report().locations[1].thread = 1;
  RunStudy study;
  study.critical_path.emplace();
  study.critical_path->shares = {{0, 0, 1, 1}, {0, 1, 2, 2}, {0, 7, 3, 3}};
  study.critical_path->intervals = {{1, 0, 1}};
  const PageExtras extras = page_extras_of(study, maker.finish());
  REQUIRE(extras.measures.size() == 1);
  REQUIRE(extras.measures[0].entries.size() == 1);
  CHECK(extras.measures[0].entries[0].ticks == 1);
  CHECK(extras.critical_path.empty());
}

TEST_CASE("MPI-IO is a measure of its own") {
  ReportMaker maker(2, 1, 1000);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  const std::uint32_t write = maker.path(main, "MPI_File_write_all", true);
  maker.time(write, 1, 1, 70);
  const PageExtras extras = page_extras_of(RunStudy(), maker.finish());
  REQUIRE(extras.measures.size() == 1);
  CHECK(extras.measures[0].title == "MPI-IO");
  CHECK(extras.measures[0].entries.at(0).ticks == 70);
}

}  // namespace
}  // namespace huddle::waitstates
