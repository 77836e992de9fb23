#include <doctest/doctest.h>

#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> csv(const WaitReport& report, WaitsBy by) {
  return lines_of(waits_csv(WaitAnswer(report), by));
}

// On a core of 10 W, 4 W idle, and with nothing lower: 1 s of waiting costs 10 J and could cost 4.
WaitReport two_ranks() {
  ReportMaker maker(2, 2, 4'000'000'000);
  maker.report().power = {"m", "made up", {{"full", 10, 4, 0, 0}}};
  const std::uint32_t main = maker.path(CallPath::kRoot, "main");
  const std::uint32_t odd = maker.path(main, "operator,(\"int\")");
  const std::uint32_t receive = maker.path(odd, "MPI_Recv", true);
  maker.report().locations[1].node = "n,1";
  maker.waits(WaitPattern::kLateSender, receive, 0, 2, 500'000'000);
  maker.waits(WaitPattern::kLateSender, receive, 1, 1, 2'000'000'000);
  maker.waits(WaitPattern::kEarlyScan, main, 1, 1, 1);
  return maker.finish();
}

TEST_CASE("by pattern there is a line for each, also for those that nobody waited for") {
  const std::vector<std::string> lines = csv(two_ranks(), WaitsBy::kPattern);
  REQUIRE(lines.size() == 1 + kWaitPatterns);
  CHECK(lines[0] == "pattern,count,time_s,longest_s,energy_j,esp_j,esp_bw_j");
  CHECK(lines[1] == "late_sender,3,3,2,30,18,0");
  CHECK(lines[2] == "late_receiver,0,0,0,0,0,0");
}

TEST_CASE("numbers are written so that nothing of them is lost") {
  const std::vector<std::string> lines = csv(two_ranks(), WaitsBy::kRank);
  CHECK(lines.back() == "early_scan,1,0,\"n,1\",1,1e-09,1e-09,1e-08,6e-09,0");
}

TEST_CASE("by call path ranks are put together, and names are quoted where they must be") {
  CHECK(
      csv(two_ranks(), WaitsBy::kCallPath) ==
      std::vector<std::string>{"pattern,call_path,count,time_s,longest_s,energy_j,esp_j,esp_bw_j",
                               "late_sender,\"main/operator,(\"\"int\"\")/MPI_Recv\",3,3,2,30,18,0",
                               "early_scan,main,1,1e-09,1e-09,1e-08,6e-09,0"});
}

TEST_CASE("by rank each rank that waited has its line") {
  const std::vector<std::string> lines = csv(two_ranks(), WaitsBy::kRank);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "pattern,rank,thread,node,count,time_s,longest_s,energy_j,esp_j,esp_bw_j");
  CHECK(lines[1] == "late_sender,0,0,n0,2,1,0.5,10,6,0");
  CHECK(lines[2] == "late_sender,1,0,\"n,1\",1,2,2,20,12,0");
}

TEST_CASE("where nobody waited only the header is left") {
  const WaitReport report = ReportMaker(1, 1, 1000).finish();
  CHECK(csv(report, WaitsBy::kRank).size() == 1);
  CHECK(csv(report, WaitsBy::kCallPath).size() == 1);
}

TEST_CASE("a path that names itself as its parent ends the way up") {
  ReportMaker maker(1, 1, 1000);
  maker.path(CallPath::kRoot, "main");
  const std::uint32_t path = maker.path(1, "circle", true);  // its own number
  maker.waits(WaitPattern::kLateSender, path, 0, 1, 5);
  CHECK(csv(maker.finish(), WaitsBy::kCallPath)[1].starts_with("late_sender,circle,1,"));
}

}  // namespace
}  // namespace huddle::waitstates
