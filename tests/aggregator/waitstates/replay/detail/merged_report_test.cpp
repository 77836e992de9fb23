#include "aggregator/waitstates/replay/detail/merged_report.hpp"

#include <doctest/doctest.h>

namespace huddle::waitstates {
namespace {

// Regions 0 and 2 have one name, but only the second is MPI's.
traces::TraceDefinitions two_ranks() {
  traces::TraceDefinitions definitions;
  definitions.ticks_per_second = 1000;
  definitions.regions = {{"work", traces::TraceRegion::Kind::kUser},
                         {"main", traces::TraceRegion::Kind::kUser},
                         {"work", traces::TraceRegion::Kind::kMpi},
                         {"alone", traces::TraceRegion::Kind::kUser}};
  definitions.ranks = {{"rank 0", "n0", {0}}, {"rank 1", "n1", {1}}};
  definitions.locations = {{"a", 0, 0, 0}, {"b", 1, 0, 0}};
  return definitions;
}

PathWaits waits(std::uint32_t path, std::uint64_t ticks, WaitPattern pattern) {
  PathWaits one;
  one.pattern = pattern;
  one.call_path = path;
  one.count = 1;
  one.ticks = one.longest = ticks;
  one.energy.spent_nj = static_cast<std::int64_t>(10 * ticks);
  one.energy.winners = {1};
  return one;
}

LocationFindings location(std::uint32_t index, std::uint64_t begin, std::uint64_t end,
                          std::uint64_t events) {
  LocationFindings one;
  one.index = index;
  one.begin = begin;
  one.end = end;
  one.events = events;
  return one;
}

// Both call main and work; rank 1 first "alone", so that it numbers its paths otherwise.
ReplayFindings both_found() {
  LocationFindings first = location(0, 100, 900, 6);
  first.paths = {{CallPath::kRoot, 1, 1, 300}, {0, 0, 2, 500}};
  first.waits = {waits(1, 70, WaitPattern::kLateSender)};
  LocationFindings second = location(1, 50, 800, 8);
  second.paths = {{CallPath::kRoot, 3, 1, 10}, {CallPath::kRoot, 1, 1, 400}, {1, 0, 1, 300}};
  second.waits = {waits(2, 30, WaitPattern::kLateSender), waits(0, 5, WaitPattern::kEarlyScan)};
  return {{first, second}, {}, {}};
}

TEST_CASE("call paths of one name become one, whatever each location calls them") {
  const WaitReport report = merged_report(both_found(), two_ranks());
  REQUIRE(report.call_paths.size() == 3);
  CHECK(report.call_paths[0].region == "alone");
  CHECK(report.call_paths[1].region == "main");
  CHECK(report.call_paths[2].region == "work");
  CHECK(report.call_paths[2].parent == 1);
  CHECK(report.times ==
        std::vector<PathTime>{
            {0, 1, 1, 10}, {1, 0, 1, 300}, {1, 1, 1, 400}, {2, 0, 2, 500}, {2, 1, 1, 300}});
  REQUIRE(report.waits.size() == 3);
  CHECK(report.waits[0].location == 0);
  CHECK(report.waits[0].ticks == 70);
  CHECK(report.waits[1].call_path == 2);
  CHECK(report.waits[2].pattern == WaitPattern::kEarlyScan);
  CHECK(report.waits[2].call_path == 0);
}

TEST_CASE("the run goes from the first event of any location to the last one") {
  const WaitReport report = merged_report(both_found(), two_ranks());
  CHECK(report.begin == 50);
  CHECK(report.end == 900);
  CHECK(report.events == 14);
  CHECK(report.ticks_per_second == 1000);
  CHECK(report.locations[0].begin == 100);
  CHECK(report.locations[1].node == "n1");
}

TEST_CASE("a report does not depend on the order of its locations") {
  ReplayFindings found = both_found();
  const WaitReport one = merged_report(found, two_ranks());
  std::swap(found.locations[0], found.locations[1]);
  const WaitReport other = merged_report(found, two_ranks());
  CHECK(one.times == other.times);
  CHECK(one.waits == other.waits);
  CHECK(one.begin == other.begin);
  CHECK(one.end == other.end);
}

TEST_CASE("a location without events says nothing about the run's begin and end") {
  ReplayFindings found = both_found();
  found.locations[1] = location(1, 0, 0, 0);
  for (int order = 0; order < 2; ++order) {
    const WaitReport report = merged_report(found, two_ranks());
    CHECK(report.begin == 100);
    CHECK(report.end == 900);
    std::swap(found.locations[0], found.locations[1]);
  }
  CHECK(merged_report({}, two_ranks()).events == 0);
  CHECK(merged_report({}, two_ranks()).locations.size() == 2);
}

TEST_CASE("two paths of a location that have one name are added up, and are MPI's if one is") {
  LocationFindings only = location(0, 0, 100, 4);
  only.paths = {{CallPath::kRoot, 0, 1, 40}, {CallPath::kRoot, 2, 2, 60}};
  only.waits = {waits(0, 10, WaitPattern::kLateSender), waits(1, 20, WaitPattern::kLateSender)};
  const WaitReport report = merged_report({{only}, {}, {}}, two_ranks());
  REQUIRE(report.call_paths.size() == 1);
  CHECK(report.call_paths[0].mpi);
  CHECK(report.times == std::vector<PathTime>{{0, 0, 3, 100}});
  REQUIRE(report.waits.size() == 1);
  CHECK(report.waits[0].count == 2);
  CHECK(report.waits[0].ticks == 30);
  CHECK(report.waits[0].longest == 20);
  CHECK(report.waits[0].energy.spent_nj == 300);
  CHECK(report.waits[0].energy.winners == std::vector<std::uint64_t>{2});
}

TEST_CASE("a report has the anomalies of its replay") {
  const TraceAnomalies anomalies{1, 2, 3, 4, 5, 6, 700};
  CHECK(merged_report({{}, anomalies, {}}, two_ranks()).anomalies == anomalies);
}

TEST_CASE("a remark that many locations make is made once, behind those of the whole trace") {
  traces::TraceDefinitions definitions = two_ranks();
  definitions.remarks = {"of the trace", "again"};
  CHECK(merged_report({{}, {}, {"z", "again", "a", "a"}}, definitions).remarks ==
        std::vector<std::string>{"of the trace", "again", "a", "z"});
}

TEST_CASE("of very many remarks the first fifty are kept, and the others counted") {
  ReplayFindings many;
  for (int i = 0; i < 52; ++i) many.remarks.push_back(std::to_string(1000 + i));
  const std::vector<std::string> remarks = merged_report(many, two_ranks()).remarks;
  REQUIRE(remarks.size() == 51);
  CHECK(remarks[49] == "1049");
  CHECK(remarks[50] == "... and 2 more remarks like these");
  many.remarks.resize(51);
  CHECK(merged_report(many, two_ranks()).remarks[50] == "... and 1 more remark like these");
  many.remarks.resize(50);
  CHECK(merged_report(many, two_ranks()).remarks.size() == 50);
}

}  // namespace
}  // namespace huddle::waitstates
