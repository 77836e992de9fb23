#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

using Json = nlohmann::json;

Json json_of(const WaitReport& report, const RunStudy* study = nullptr) {
  return Json::parse(waits_json(WaitAnswer(report, study)));
}

TEST_CASE("a report's sums are in seconds and joules") {
  const Json json = json_of(small_report());
  CHECK(json["ranks"] == 4);
  CHECK(json["nodes"] == 2);
  CHECK(json["run_time_s"] == 2.0);
  CHECK(json["time_s"] == 8.0);
  CHECK(json["mpi_s"] == doctest::Approx(2.8));
  CHECK(json["waiting_s"] == doctest::Approx(2.61));
  CHECK(json["energy_j"] == doctest::Approx(2.61 * 13.1));
  CHECK(json["patterns"].size() == kWaitPatterns);
  CHECK(json["patterns"][0]["count"] == 30);
  CHECK(json["patterns"][0]["longest_s"] == doctest::Approx(0.048));
}

TEST_CASE("a call path is its regions from the outermost on, with what is below it and without") {
  const Json paths = json_of(small_report())["call_paths"];
  CHECK(paths[0]["parent"].is_null());
  CHECK(paths[3]["path"] == Json({"main", "exchange<T>", "MPI_Recv"}));
  CHECK(paths[3]["parent"] == 1);
  CHECK(paths[3]["mpi"] == true);
  CHECK(paths[1]["waiting_s"] == 0.0);
  CHECK(paths[1]["inclusive_waiting_s"] == doctest::Approx(1.44));
  CHECK(paths[3]["patterns"] == Json({{"late_sender", 1.44}}));
}

TEST_CASE("a wait state's entry names its rank, not only its location") {
  ReportMaker maker(2, 1, 1'000'000'000);
  const std::uint32_t wait = maker.path(CallPath::kRoot, "MPI_Wait", true);
  maker.waits(WaitPattern::kLateSender, wait, maker.thread(1, 4), 1, 1000);
  const Json entry = json_of(maker.finish())["waits"][0];
  CHECK(entry["rank"] == 1);
  CHECK(entry["thread"] == 4);
  CHECK(entry["count"] == 1);
  CHECK(entry["time_s"] == 1e-6);
}

TEST_CASE("names that are no UTF-8 are text all the same") {
  ReportMaker maker(1, 1, 1000);
  maker.path(CallPath::kRoot, "caf\xe9");
  CHECK(json_of(maker.finish())["call_paths"][0]["path"][0] == "caf\xef\xbf\xbd");
}

TEST_CASE("a trace of nothing has zeros and empty lists, and no number that is none") {
  WaitReport report;
  report.power = {"m", "made up", {{"full", 0, 0, 0, 0}}};
  const std::string text = waits_json(WaitAnswer(report));
  const Json json = Json::parse(text);
  CHECK(json["time_s"] == 0.0);
  CHECK(json["waits"].empty());
  CHECK(json["patterns"][0]["esp_percent"] == 0.0);
  CHECK(json["power_states"]["most_idle_percent"] == 0.0);
  CHECK(text.find("null") == std::string::npos);
}

TEST_CASE("of a study only what was asked for is there") {
  const WaitReport report = small_report();
  RunStudy study;
  CHECK_FALSE(json_of(report, &study).contains("critical_path"));
  CHECK_FALSE(json_of(report, &study).contains("slack"));
  CHECK_FALSE(json_of(report, &study).contains("what_if"));
  CHECK_FALSE(json_of(report, &study).contains("delays"));
  study.delays.emplace();
  study.delays->waiting = 1'500'000'000;
  study.delays->costs = {{0, 1, 1e9, 5e8}};
  const Json delays = json_of(report, &study)["delays"];
  CHECK(delays["waiting_s"] == 1.5);
  CHECK(delays["shares"][0] ==
        Json({{"call_path", 0}, {"rank", 1}, {"short_term_s", 1.0}, {"long_term_s", 0.5}}));
  study.slack.emplace();
  study.slack->run_time = 2'000'000'000;
  study.slack->ranks = {{500'000'000, 1.25}};
  study.slack->call_paths = {{CallPath::kRoot, 0, 100'000'000, 0, 0, 50'000'000}};
  const Json slack = json_of(report, &study)["slack"];
  CHECK(slack["run_time_s"] == 2.0);
  CHECK(slack["ranks"][0] == Json({{"rank", 0}, {"computation_s", 0.5}, {"stretch", 1.25}}));
  CHECK(slack["call_paths"][0]["call_path"].is_null());
  CHECK(slack["call_paths"][0]["apportioned_s"] == 0.05);
}

TEST_CASE("a what-if by slack names the power state of each rank") {
  const WaitReport report = small_report();
  RunStudy study;
  WhatIfReport& what_if = study.what_ifs.emplace_back();
  what_if.request.text = "slack";
  what_if.changed.ranks.resize(2);
  what_if.changed.states = {1, 0};
  const Json ranks = json_of(report, &study)["what_if"][0]["changed"]["ranks"];
  CHECK(ranks[0]["power_state"] == report.power.states[1].name);
  CHECK(ranks[1]["power_state"] == report.power.states[0].name);
  CHECK(json_of(report, &study)["what_if"][0]["unchanged"]["ranks"].empty());
}

}  // namespace
}  // namespace huddle::waitstates
