#include "profiles/formats/machine/calibration_results.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

const std::string kHead =
    R"({"format":"huddle/calibration","version":1,"layout":"1:1:2","nodes":2,"ranks":4})"
    "\n";

std::string message(const char* distance, int pairs, int bytes, const char* time) {
  return std::string(R"({"kind":"message","distance":")") + distance + R"(","pairs":)" +
         std::to_string(pairs) + R"(,"bytes":)" + std::to_string(bytes) + R"(,"time_s":)" + time +
         "}\n";
}

CalibrationResults parsed(const std::string& lines) {
  return parse_calibration(kHead + lines, "r");
}

std::string refusal(const std::string& lines) {
  return error_of<FormatError>([&] { parsed(lines); });
}

TEST_CASE("results in any order become tables of measured times") {
  const CalibrationResults results = parsed(
      R"({"planned":5})"
      "\n" +
      message("network", 1, 64, "3e-6") + message("die", 1, 8, "1e-7") +
      message("network", 1, 8, "2e-6") +
      R"({"kind":"collective","operation":"bcast","pattern":"1:1:2","ranks":4,"bytes":8,"time_s":5e-6})"
      "\n"
      R"({"kind":"stream","within":"die","ranks":2,"bandwidth_bytes_per_s":7e9})"
      "\n"
      R"({"left_out_for_want_of_time":3})"
      "\n");
  CHECK(results.layout == "1:1:2");
  CHECK(results.nodes == 2);
  CHECK(results.ranks == 4);
  CHECK(results.planned == 5);
  CHECK(results.left_out == 3);
  CHECK(results.size() == 5);
  const std::vector<MessageTimes> messages = {
      {Distance::kDie, 1, {{{8}, {1e-7}, Origin::kMeasured}}},
      {Distance::kNetwork,
       1,
       {{{8}, {2e-6}, Origin::kMeasured}, {{64}, {3e-6}, Origin::kMeasured}}}};
  CHECK(results.messages == messages);
  REQUIRE(results.collectives.size() == 1);
  CHECK(results.collectives.front().operation == "bcast");
  REQUIRE(results.memory_streams.size() == 1);
  CHECK(results.memory_streams.front().bandwidth.value == 7e9);
}

TEST_CASE("a line that was not finished when the run was stopped is passed over") {
  CHECK(parsed(message("die", 1, 8, "1e-7") + R"({"kind":"mess)").size() == 1);
}

TEST_CASE("what is no result is refused, with its line") {
  CHECK(error_of<FormatError>([] { parse_calibration("", "r"); }) ==
        "r: the file: found no whole line, expected results of huddle_calibration");
  CHECK(error_of<FormatError>([] { parse_calibration("{\"format\":\"huddle/plan\"}\n", "r"); }) ==
        "r: line 1: field format: found \"huddle/plan\", expected \"huddle/calibration\"");
  CHECK(refusal("nonsense\n") == "r: line 2: found \"nonsense\", expected a JSON object");
  CHECK(refusal("{\"kind\":\"rumour\"}\n") ==
        "r: line 2: field kind: found \"rumour\", expected \"message\", \"collective\" or "
        "\"stream\"");
  CHECK(refusal(message("die", 1, 8, "1") + message("die", 1, 64, "0"))
            .starts_with("r: line 3: field results[0].time_s: found 0, expected a number above 0"));
  CHECK(refusal(message("die", 1, 8, "1") + message("die", 1, 8, "2"))
            .ends_with("expected each size once; die with 1 pair(s) has 8 bytes twice"));
}

TEST_CASE("two files are put together, and the second one counts where both have a result") {
  CalibrationResults both = parsed(message("die", 2, 8, "2") + message("die", 1, 8, "1"));
  both.merge(parsed(message("die", 1, 8, "3") + message("die", 1, 0, "1") +
                    message("network", 1, 0, "5")));
  const std::vector<MessageTimes> messages = {
      {Distance::kDie, 1, {{{0}, {1}, Origin::kMeasured}, {{8}, {3}, Origin::kMeasured}}},
      {Distance::kDie, 2, {{{8}, {2}, Origin::kMeasured}}},
      {Distance::kNetwork, 1, {{{0}, {5}, Origin::kMeasured}}}};
  CHECK(both.messages == messages);
}

}  // namespace
}  // namespace huddle
