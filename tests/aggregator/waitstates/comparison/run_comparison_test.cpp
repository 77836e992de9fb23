#include "aggregator/waitstates/comparison/run_comparison.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace huddle::waitstates {
namespace {

using Json = nlohmann::json;

// The small report, with solve so many milliseconds longer on each of the four ranks.
ComparedTrace run_with(std::uint64_t longer_ms) {
  WaitReport report = small_report();
  for (PathTime& time : report.times)
    if (report.call_paths[time.call_path].region == "solve") time.ticks += longer_ms * 1'000'000;
  return compared_trace(report);
}

TEST_CASE("a call path that takes longer comes first, with what it takes more") {
  const RunComparison comparison = comparison_of(run_with(0), run_with(250));
  CHECK(comparison.paths[0].path.regions == std::vector<std::string>{"main", "solve"});
  CHECK(comparison.paths[0].time.difference() == doctest::Approx(1));
  CHECK(comparison.paths[1].time.difference() == 0);
  const std::string text = comparison_text(comparison);
  CHECK(text.find("main/solve") != std::string::npos);
  CHECK(text.find("is not known from one of each") != std::string::npos);
}

TEST_CASE("a call path that one run does not have counts there as nothing") {
  ReportMaker maker{small_report()};
  const std::uint32_t path = maker.path(0, "output");
  maker.time(path, 0, 7, 30'000'000);
  const RunComparison comparison = comparison_of(run_with(0), compared_trace(maker.finish()));
  CHECK(comparison.paths[0].path.regions[1] == "output");
  CHECK(comparison.paths[0].time.before == 0);
  CHECK(comparison.paths[0].time.after == doctest::Approx(0.03));
  CHECK(comparison.paths[0].visits.after == 7);
}

TEST_CASE("the JSON has every call path and pattern") {
  const Json one = Json::parse(comparison_json(comparison_of(run_with(0), run_with(250))));
  CHECK(one["call_paths"].size() == 6);
  CHECK(one["patterns"].size() == kWaitPatterns);
  CHECK(one["waiting_s"]["before"] == doctest::Approx(run_with(0).waiting));
  CHECK(one["before"]["ranks"] == 4);
}

TEST_CASE("runs of different numbers of ranks are compared with a word of warning") {
  ReportMaker maker(2, 1, 1000);
  const ComparedTrace other = compared_trace(maker.finish());
  CHECK(comparison_text(comparison_of(run_with(0), other)).find("Numbers of ranks differ") !=
        std::string::npos);
}

}  // namespace
}  // namespace huddle::waitstates
