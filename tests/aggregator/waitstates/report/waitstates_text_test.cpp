#include <doctest/doctest.h>

#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

bool report_holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST_CASE("the head counts ranks, nodes and events, and shares the time of all ranks") {
  const WaitReport report = small_report();
  const std::string text = waits_head_text(WaitAnswer(report));
  CHECK(text.starts_with("made-up/traces.otf2: 4 ranks on 2 nodes, 2 s, 4000 events\n"));
  // 2.8 s in MPI and 2.61 s of waiting, of 4 x 2 s.
  CHECK(report_holds(text,
                     "Time of all ranks: 8 s, in MPI 2.8 s (35.0 %), waiting 2.61 s (32.6 %)\n"));
}

TEST_CASE("one rank, one node and one event are singular; threads are counted beside ranks") {
  WaitReport report = ReportMaker(1, 1, kSecond).finish();
  report.events = 1;
  CHECK(waits_head_text(WaitAnswer(report))
            .starts_with("made-up/traces.otf2: 1 rank on 1 node, 1 s, 1 event\n"));
  ReportMaker maker(2, 1, kSecond);
  maker.thread(0, 1);
  const WaitReport threads = maker.finish();
  const std::string text = waits_head_text(WaitAnswer(threads));
  CHECK(report_holds(text, ": 2 ranks of 3 threads in all on 1 node, "));
  CHECK(report_holds(text, "Time of all threads: 3 s"));
}

TEST_CASE("nodes without a name and power states that are not there are left out") {
  WaitReport report = ReportMaker(2, 1, kSecond).finish();
  for (ReportLocation& location : report.locations) location.node.clear();
  report.power = {};
  const std::string text = waits_head_text(WaitAnswer(report));
  CHECK(text.starts_with("made-up/traces.otf2: 2 ranks, 1 s, "));
  CHECK_FALSE(report_holds(text, "Power"));
}

TEST_CASE("a run that took no time has no percentages that are no numbers") {
  const WaitReport report = ReportMaker(1, 1, 0).finish();
  const std::string text = waits_head_text(WaitAnswer(report));
  CHECK(report_holds(text, "in MPI 0 s (0.0 %), waiting 0 s (0.0 %)"));
  CHECK_FALSE(report_holds(text, "nan"));
}

TEST_CASE("a run in which nobody waited says so, whatever it is asked by") {
  const WaitReport report = ReportMaker(2, 1, kSecond).finish();
  for (const WaitsBy by : {WaitsBy::kPattern, WaitsBy::kCallPath, WaitsBy::kRank})
    CHECK(waits_text(WaitAnswer(report), by) == "Nobody waited.\n");
}

TEST_CASE("several patterns have a line of all; a single one has none") {
  ReportMaker maker(1, 1, kSecond);
  const std::uint32_t receive = maker.path(CallPath::kRoot, "MPI_Recv", true);
  maker.waits(WaitPattern::kLateSender, receive, 0, 2, 1000);
  const WaitReport one(maker.report());
  CHECK_FALSE(report_holds(waits_text(WaitAnswer(one), WaitsBy::kPattern), "\nall "));
  maker.waits(WaitPattern::kLateReceiver, receive, 0, 1, 1000);
  const WaitReport two = maker.finish();
  CHECK(report_holds(waits_text(WaitAnswer(two), WaitsBy::kPattern), "\nall "));
}

TEST_CASE("the tree shows most waiting first, and counts what is below one part in a thousand") {
  ReportMaker maker(1, 1, 10 * kSecond);
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  const std::uint32_t little = maker.path(main, "little");
  const std::uint32_t much = maker.path(main, "much");
  const std::uint32_t tiny = maker.path(main, "tiny");
  maker.path(main, "nothing");
  maker.waits(WaitPattern::kLateSender, little, 0, 1, 1'000'000);
  maker.waits(WaitPattern::kLateSender, much, 0, 1, 998'001'000);
  maker.waits(WaitPattern::kLateSender, tiny, 0, 1, 999'000);
  const WaitReport report = maker.finish();
  const std::string text = waits_text(WaitAnswer(report), WaitsBy::kCallPath);
  CHECK(text.find("\n  much") < text.find("\n  little"));
  CHECK_FALSE(report_holds(text, "tiny"));
  CHECK_FALSE(report_holds(text, "nothing"));
  CHECK(text.ends_with("1 more with less than 0.1 % of the waiting each; --csv has all.\n"));
}

TEST_CASE("a call chain of thousands is printed, and its indentation ends") {
  ReportMaker maker(1, 1, kSecond);
  std::uint32_t path = maker.path(CallPath::kRoot, "f");
  for (int depth = 1; depth < 3000; ++depth) path = maker.path(path, "f");
  maker.waits(WaitPattern::kLateSender, path, 0, 1, 1000);
  const WaitReport report = maker.finish();
  const std::string text = waits_text(WaitAnswer(report), WaitsBy::kCallPath);
  CHECK(lines_in(text) >= 3000);
  CHECK(report_holds(text, "\n" + std::string(60, ' ') + "f"));
  CHECK_FALSE(report_holds(text, "\n" + std::string(61, ' ')));
}

TEST_CASE("ranks are in order, threads behind their rank's first one") {
  ReportMaker maker(2, 1, kSecond);
  const std::uint32_t thread = maker.thread(0, 3);
  const std::uint32_t wait = maker.path(CallPath::kRoot, "MPI_Wait", true);
  maker.waits(WaitPattern::kLateSender, wait, thread, 1, 1000);
  const WaitReport report = maker.finish();
  const std::string text = waits_text(WaitAnswer(report), WaitsBy::kRank);
  CHECK(text.starts_with("rank.thread"));
  CHECK(text.find("0.0 ") < text.find("0.3 "));
  CHECK(text.find("0.3 ") < text.find("1.0 "));
  CHECK(report_holds(text, "Late Sender 100 %"));
}

TEST_CASE("remarks are below a title, and a very long one is shortened") {
  WaitReport report = ReportMaker(1, 1, kSecond).finish();
  CHECK(waits_remarks_text(WaitAnswer(report)).empty());
  report.remarks = {std::string(10'000, 'x')};
  const std::string text = waits_remarks_text(WaitAnswer(report));
  CHECK(text.starts_with("\nAbout the trace:\nxxx"));
  CHECK(text.size() < 500);
}

TEST_CASE("MPI-IO stands below the table") {
  ReportMaker maker(1, 1, kSecond);
  const std::uint32_t write = maker.path(CallPath::kRoot, "MPI_File_write", true);
  maker.time(write, 0, 1, kSecond / 4);
  const WaitReport report = maker.finish();
  const std::string text = waits_text(WaitAnswer(report), WaitsBy::kPattern);
  CHECK(text.starts_with("Nobody waited.\n"));
  CHECK(report_holds(text, "In MPI's functions for files: 0.25 s"));
}

}  // namespace
}  // namespace huddle::waitstates
