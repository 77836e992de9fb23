#include "aggregator/waitstates/page/detail/page_data.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/aggregator/waitstates/made_up_report.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<std::uint64_t>;

Json data_of(const WaitReport& report, std::size_t most_rows = 100, const PageExtras& extras = {}) {
  return page_data(report, extras, rows_of(report, most_rows));
}

// The bytes that base 64 stands for.
Numbers bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Numbers bytes;
  std::uint32_t bits = 0;
  unsigned known = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes.push_back(bits >> known & 255U);
  }
  return bytes;
}

// Five ranks, one path; `ticks` by rank.
WaitReport five_ranks(const Numbers& ticks) {
  ReportMaker maker(5, 1, 1000);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  for (std::uint32_t rank = 0; rank < 5; ++rank) maker.time(main, rank, 1, ticks[rank]);
  return maker.finish();
}

TEST_CASE("numbers stand in runs: call path, first row, how many rows, and the numbers") {
  CHECK(data_of(five_ranks({7, 8, 0, 0, 9}))["time"] == Json({0, 0, 2, 7, 8, 0, 4, 1, 9}));
  CHECK(data_of(five_ranks({0, 0, 0, 0, 0}))["time"] == Json::array());
  CHECK(data_of(five_ranks({1, 1, 1, 1, 1}))["time"] == Json({0, 0, 5, 1, 1, 1, 1, 1}));
}

TEST_CASE("rows of several ranks hold their sums") {
  const Json data = data_of(five_ranks({7, 8, 0, 0, 9}), 3);
  CHECK(data["together"] == 2);
  CHECK(data["time"] == Json({0, 0, 1, 15, 0, 2, 1, 9}));
  CHECK(data["visits"] == Json({0, 0, 3, 2, 2, 1}));
}

TEST_CASE("numbers above what a double holds are not rounded") {
  const std::uint64_t large = (1ULL << 60U) + 1;
  CHECK(data_of(five_ranks({large, 0, 0, 0, 0}))["time"][3] == large);
}

TEST_CASE("a row begins with its first event and ends with its last, in ticks of the run") {
  WaitReport report = five_ranks({1, 1, 1, 1, 1});  // from 5000 to 6000
  report.locations[0].begin = 5100;
  report.locations[1].begin = 5300;
  report.locations[1].end = 5900;
  report.locations[0].end = 5800;
  report.locations[2].begin = report.locations[2].end = 0;  // without events
  report.locations[3].begin = report.locations[3].end = 0;
  const Json rows = data_of(report, 3)["rows"];
  CHECK(rows[0] == Json({0, 0, 1, 0, 2, 100, 900}));
  CHECK(rows[1] == Json({0, 2, 3, 0, 2, 0, 0}));
  CHECK(rows[2] == Json({0, 4, 4, 0, 1, 0, 1000}));
}

TEST_CASE("each name stands once, and a path names its parent") {
  ReportMaker maker(1, 1, 1000);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  const std::uint32_t solve = maker.path(main, "solve");
  maker.path(solve, "solve");
  maker.path(solve, "MPI_Send", true);
  const Json paths = data_of(maker.finish())["paths"];
  CHECK(paths["regions"] == Json({"main", "solve", "MPI_Send"}));
  CHECK(paths["region"] == Json({0, 1, 1, 2}));
  CHECK(paths["parent"] == Json({-1, 0, 1, 1}));
  CHECK(paths["mpi"] == Json({0, 0, 0, 1}));
}

TEST_CASE("waiting is by pattern, and a pattern that nobody waited for is not there") {
  ReportMaker maker(2, 1, 1000);
  const std::uint32_t receive = maker.path(CallPath::kRoot, "MPI_Recv", true);
  maker.waits(WaitPattern::kLateSender, receive, 1, 3, 20);
  const Json data = data_of(maker.finish());
  CHECK(data["waitTime"] == Json({{"0", {0, 1, 1, 60}}}));
  CHECK(data["waitCount"] == Json({{"0", {0, 1, 1, 3}}}));
  CHECK(data["patterns"].size() == kWaitPatterns);
  CHECK(data["patterns"][0]["title"] == "Late Sender");
}

TEST_CASE("a negative energy of somebody else's report counts as none") {
  ReportMaker maker(1, 1, 1000);
  const std::uint32_t receive = maker.path(CallPath::kRoot, "MPI_Recv", true);
  maker.waits(WaitPattern::kLateSender, receive, 0, 1, 20);
  maker.report().waits[0].energy.spent_nj = -5;
  CHECK(data_of(maker.finish())["energy"] == Json({{"0", Json::array()}}));
}

TEST_CASE("a report without power states and without locations gives data all the same") {
  WaitReport report;
  const Json data = data_of(report);
  CHECK(data["power"].is_null());
  CHECK(data["timeline"].is_null());
  CHECK(data["rows"] == Json::array());
  CHECK(data["runTicks"] == 0);
}

TEST_CASE("a measure of time in no known region stands behind all call paths") {
  const PageExtras extras{{{"Slack", "Because.", {{CallPath::kRoot, 1, 5}, {0, 1, 6}}}}, {}};
  const Json data = data_of(five_ranks({1, 1, 1, 1, 1}), 100, extras);
  CHECK(data["measures"][0]["cells"] == Json({0, 1, 1, 6, 1, 1, 1, 5}));
  CHECK(data["paths"]["regions"] == Json({"main", "(no region)"}));
  CHECK(data["paths"]["parent"] == Json({-1, -1}));
}

TEST_CASE("a measure's parts stand below it, and may have time in no known region") {
  const PageMeasure direct{"Direct", "At once.", {{0, 1, 6}}};
  const PageMeasure other{"Propagated", "Later.", {{CallPath::kRoot, 2, 5}}};
  const PageExtras extras{{{"Costs", "All.", {}, {direct, other}}}, {}};
  const Json data = data_of(five_ranks({1, 1, 1, 1, 1}), 100, extras);
  CHECK(data["measures"].size() == 1);
  CHECK(data["measures"][0]["cells"] == Json::array());
  CHECK(data["measures"][0]["parts"][0]["title"] == "Direct");
  CHECK(data["measures"][0]["parts"][0]["cells"] == Json({0, 1, 1, 6}));
  CHECK(data["measures"][0]["parts"][1]["cells"] == Json({1, 2, 1, 5}));
  CHECK(data["paths"]["regions"] == Json({"main", "(no region)"}));
}

TEST_CASE("a measure of a location or call path that is not there is refused") {
  const WaitReport report = five_ranks({1, 1, 1, 1, 1});
  for (const PageMeasure::Entry& entry : {PageMeasure::Entry{0, 5, 1}, {1, 0, 1}}) {
    const PageExtras extras{{{"Slack", "", {entry}}}, {}};
    CHECK(error_of([&] {
            data_of(report, 100, extras);
          }).ends_with("has an entry of a call path or a location that it does not have"));
  }
}

// One rank's bins of 10 ticks.
WaitReport with_timeline(std::uint32_t ranks, const std::vector<TimelineBin>& bins) {
  WaitReport report = ReportMaker(ranks, 1, 1000).finish();
  report.timeline.assign(ranks, bins);
  report.timeline_bin = 10;
  return report;
}

TimelineBin bin(std::uint64_t mpi, std::uint64_t late_sender, std::uint64_t barrier) {
  TimelineBin one;
  one.mpi = mpi;
  one.waiting[static_cast<std::size_t>(WaitPattern::kLateSender)] = late_sender;
  one.waiting[static_cast<std::size_t>(WaitPattern::kWaitAtBarrier)] = barrier;
  return one;
}

TEST_CASE("a bin is its share in MPI, its share of waiting, and the pattern of most of it") {
  const WaitReport report =
      with_timeline(1, {bin(0, 0, 0), bin(10, 2, 0), bin(10, 2, 3), bin(5, 2, 2)});
  const Json timeline = data_of(report)["timeline"];
  CHECK(timeline["bins"] == 4);
  CHECK(timeline["binTicks"] == 10);
  CHECK(bytes_of(timeline["cells"]) == Numbers{0, 0, 255,      // nothing
                                               255, 51, 0,     // 2 of 10 x 255
                                               255, 128, 2,    // 127.5, to the nearest
                                               128, 102, 0});  // of equals the first
}

TEST_CASE("a bin of several ranks is shared by them, and what is behind the trace is cut") {
  WaitReport report = with_timeline(2, {bin(10, 0, 0), bin(50, 40, 0)});
  report.timeline[1] = {bin(0, 0, 0), bin(0, 0, 0)};
  const Json timeline = data_of(report, 1)["timeline"];
  CHECK(bytes_of(timeline["cells"]) == Numbers{128, 0, 255, 255, 255, 0});
}

TEST_CASE("a timeline that begins before the run's first event says so by a negative begin") {
  WaitReport report = with_timeline(1, {bin(1, 1, 0)});
  report.timeline_begin = report.begin - 7;
  CHECK(data_of(report)["timeline"]["begin"] == -7.0);
}

TEST_CASE("without bins there is no timeline; with too few of them there is no page") {
  WaitReport report = with_timeline(2, {bin(1, 0, 0)});
  report.timeline_bin = 0;
  CHECK(data_of(report)["timeline"].is_null());
  report.timeline_bin = 10;
  report.timeline[1].clear();
  CHECK(error_of([&] {
          data_of(report);
        }).ends_with("has not as many bins of its timeline for each location"));
  report.timeline = {};
  CHECK(data_of(report)["timeline"].is_null());
}

TEST_CASE("the critical path goes through rows, and skips locations that are not there") {
  const WaitReport report = five_ranks({1, 1, 1, 1, 1});
  const PageExtras extras{{}, {{4, 0, 10}, {5, 10, 20}, {1, 20, 30}}};
  CHECK(data_of(report, 3, extras)["criticalPath"] == Json({2, 0, 10, 0, 20, 30}));
}

}  // namespace
}  // namespace huddle::waitstates
