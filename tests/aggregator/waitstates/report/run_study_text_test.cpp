#include <doctest/doctest.h>

#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string text_of(const WaitReport& report, const RunStudy& study) {
  return study_text(WaitAnswer(report, &study));
}

TEST_CASE("without a study, or of an empty one, there is nothing to read") {
  const WaitReport report = small_report();
  CHECK(study_text(WaitAnswer(report)).empty());
  CHECK(text_of(report, RunStudy()).empty());
}

TEST_CASE("the critical path's call paths are by their time on it, those off it are left out") {
  const WaitReport report = small_report();
  RunStudy study;
  CriticalPath& path = study.critical_path.emplace();
  path.run_time = 2000 * kMs;
  path.jumps = 1;
  path.lost = 4000 * kMs;
  path.call_paths = {
      {0, 500 * kMs, 0}, {2, 0, 0}, {3, 1400 * kMs, 250 * kMs}, {CallPath::kRoot, 100 * kMs, 0}};
  const std::string text = text_of(report, study);
  // 4 s of what four ranks have in 2 s.
  CHECK(holds(text, "Critical path: 2 s, 1 jump between ranks."));
  CHECK(holds(text, "cost 4 s of all ranks' time (50.0 %)."));
  CHECK(text.find("main/exchange<T>/MPI_Recv") < text.find("\nmain "));
  CHECK(holds(text, "70.0"));
  CHECK(holds(text, "(no region)"));
  CHECK_FALSE(holds(text, "solve"));
  CHECK_FALSE(holds(text, "contradict"));
}

TEST_CASE("contradictions of the clocks are counted, one and many") {
  const WaitReport report = small_report();
  RunStudy study;
  study.critical_path.emplace().contradictions = 1;
  CHECK(holds(text_of(report, study),
              "1 dependency contradicts the clocks; the path does not follow it.\n"));
  study.critical_path->contradictions = 2;
  CHECK(holds(text_of(report, study),
              "2 dependencies contradict the clocks; the path does not follow them.\n"));
}

TEST_CASE("delays are by call path, those that cost most first, with the rank that cost most") {
  const WaitReport report = small_report();
  RunStudy study;
  DelayReport& delays = study.delays.emplace();
  CHECK(holds(text_of(report, study), "Delays: nobody waited in MPI"));
  delays.waiting = 1000 * kMs;
  delays.costs = {{0, 1, 100.0 * kMs, 0}, {3, 0, 200.0 * kMs, 100.0 * kMs}, {3, 2, 600.0 * kMs, 0}};
  const std::string text = text_of(report, study);
  CHECK(holds(text, "Delays: what the 1 s of waiting were caused by"));
  CHECK(text.find("main/exchange<T>/MPI_Recv") < text.find("\nmain "));
  CHECK(holds(text, "0.8           0.1          90.0             2     66.7"));
  CHECK(holds(text, "0.1             0          10.0             1    100.0"));
}

TEST_CASE("of a deep call path the innermost three regions are shown") {
  ReportMaker maker(1, 1, 1000);
  std::uint32_t path = CallPath::kRoot;
  for (const char* region : {"a", "b", "c", "d"}) path = maker.path(path, region);
  const WaitReport report = maker.finish();
  RunStudy study;
  study.critical_path.emplace().call_paths = {{path, 10, 0}, {2, 20, 0}};
  const std::string text = text_of(report, study);
  CHECK(holds(text, "\n.../b/c/d "));
  CHECK(holds(text, "\na/b/c "));
}

TEST_CASE("ranks with most slack are first, and beyond twenty they are counted") {
  const WaitReport report = small_report();
  RunStudy study;
  SlackReport& slack = study.slack.emplace();
  for (std::uint64_t rank = 0; rank < 23; ++rank)
    slack.ranks.push_back({rank * kMs, 1 + 0.01 * static_cast<double>(rank)});
  const std::string text = text_of(report, study);
  CHECK(text.find(" 1.220\n") < text.find(" 1.210\n"));
  CHECK(holds(text, "1.030"));
  CHECK_FALSE(holds(text, "1.020"));
  CHECK(text.ends_with("3 more; --json has all.\n"));
  slack.ranks.resize(20);
  CHECK_FALSE(holds(text_of(report, study), " more;"));
}

TEST_CASE("a what-if shows by how much time and energy change") {
  const WaitReport report = small_report();
  RunStudy study;
  WhatIfReport& what_if = study.what_ifs.emplace_back();
  what_if.request.text = "solve@x2";
  what_if.measured_run_time = 2000 * kMs;
  what_if.unchanged.run_time = 1000 * kMs;
  what_if.unchanged.energy.busy_nj = 8'000'000'000;
  what_if.changed.run_time = 1500 * kMs;
  what_if.changed.energy.busy_nj = 6'000'000'000;
  what_if.changed.ranks = {{100 * kMs, 20 * kMs, 3 * kMs, 0}, {200 * kMs, 20 * kMs, 3 * kMs, 0}};
  what_if.touched = 750 * kMs;
  const std::string text = text_of(report, study);
  CHECK(holds(text,
              "What if solve@x2: run time +50.00 %, energy -25.00 %; 0.75 s of computation "
              "changed.\n"));
  CHECK(holds(text, "The replay with nothing changed takes -50.00 % of the measured 2 s.\n"));
  CHECK(holds(text, " 0.3 "));
  CHECK(holds(text, "0.006"));
  CHECK_FALSE(holds(text, "No call path fits"));
}

TEST_CASE("of an energy of 0 no change can be given, and a line says that a request fits nothing") {
  const WaitReport report = small_report();
  RunStudy study;
  study.what_ifs.emplace_back().request.text = "nobody@x2";
  const std::string text = text_of(report, study);
  CHECK(holds(text, "run time unknown, energy unknown;"));
  CHECK(text.ends_with("No call path fits it: see --by callpath.\n"));
  study.what_ifs[0].request.by_slack = true;
  CHECK_FALSE(holds(text_of(report, study), "No call path fits"));
}

}  // namespace
}  // namespace huddle::waitstates
