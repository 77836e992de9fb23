// The teams of OpenMP's regions in plans.

#include <doctest/doctest.h>

#include "profiles/formats/plan/plan.hpp"
#include "tests/profiles/formats/edited_json.hpp"
#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::string refusal_of_plan(std::string_view bytes) {
  return error_of<FormatError>([&] { parse_plan(bytes, "p"); });
}

TEST_CASE("a plan says on how many cores the threads of regions run") {
  Plan plan = sample_plan();
  CHECK(plan.teams_text().empty());
  CHECK(to_json(plan).find("teams") == std::string::npos);
  plan.teams = {{RankSet({0, 1}), {{18446744073709551615ULL, 0, 4, 2}, {7, 9, 2, 1}}},
                {RankSet({2}), {{7, 0, 1, 1}}}};
  CHECK(parse_plan(to_json(plan), "p").teams == plan.teams);
  CHECK(plan.teams_text() == "bound 0.05;0-1 ffffffffffffffff=4/2 7@9=2;2 7=1");
  plan.slowdown_bound = 0.125;
  CHECK(plan.teams_text().starts_with("bound 0.125;"));
  plan.teams_reason = "4 % less energy";
  CHECK(parse_plan(to_json(plan), "p").teams_reason == "4 % less energy");
}

TEST_CASE("a plan says at which clocks ranks are in groups of phases, with regions or without") {
  Plan plan = sample_plan();
  plan.teams = {{RankSet({0, 1}), {{7, 9, 2, 1}}, {{9, 1800000}}},
                {RankSet({2}), {}, {{9, 1200000}}}};
  CHECK(parse_plan(to_json(plan), "p").teams == plan.teams);
  CHECK(plan.teams_text() == "bound 0.05;0-1 7@9=2 @9=1800000kHz;2 @9=1200000kHz");
}

TEST_CASE("a plan says on how many cores regions run at a position of a period") {
  Plan plan = sample_plan();
  plan.teams = {{RankSet({0, 1}), {{7, 0, 2, 1}, {7, 0, 1, 1, 0, 18446744073709551615ULL}}, {}, 9},
                {RankSet({2}), {{7, 0, 1, 1}}}};
  CHECK(parse_plan(to_json(plan), "p").teams == plan.teams);
  CHECK(plan.teams_text() == "bound 0.05;0-1 #9 7=2 7#ffffffffffffffff=1;2 7=1");
  const auto refused = [&](const std::string& member, const std::string& value,
                           const std::string& message) {
    CHECK(refusal_of_plan(with_field(to_json(plan), member, value)) == "p: field " + message);
  };
  refused("/teams/0/regions/1/context", "0",
          "teams[0].regions[1].context: found 0, expected a position, 1 or more");
  refused("/teams/0/regions/1/group", "5",
          "teams[0].regions[1].group: found 5, expected none where there is a context");
  refused("/teams/0/anchor", "",
          "teams[0].regions: found an array of 2, expected no context without an anchor beside "
          "\"regions\"");
}

TEST_CASE("a plan says how many threads teams have, and whose user allowed that") {
  Plan plan = sample_plan();
  plan.teams = {{RankSet({0, 1}), {{7, 9, 2, 1, 2}, {8, 0, 1, 1}}}};
  plan.teams_programs = {{"0a1b", "ffee"}, {"ffee"}};
  const Plan read = parse_plan(to_json(plan), "p");
  CHECK(read.teams == plan.teams);
  CHECK(read.teams_programs == plan.teams_programs);
  CHECK(plan.teams_text() == "bound 0.05;0-1 7@9=2*2 8=1");
  CHECK(refusal_of_plan(with_field(to_json(plan), "/teams/0/regions/0/threads", "3")) ==
        "p: field teams[0].regions[0].threads: found 3, expected a multiple of cores, 2");
  CHECK(refusal_of_plan(with_field(to_json(plan), "/teams_programs/1", "\"0a\"")) ==
        "p: field teams_programs[1]: found \"0a\", expected ascending build ids");
}

TEST_CASE("teams of a plan that are wrong are refused by their place") {
  Plan plan = sample_plan();
  plan.teams = {{RankSet({0, 1}), {{5, 6, 4, 2}}}};
  const auto refused = [&](const std::string& member, const std::string& value,
                           const std::string& message) {
    CHECK(refusal_of_plan(with_field(to_json(plan), member, value)) == "p: field " + message);
  };
  refused("/teams", "{}", "teams: found an object of 0, expected an array");
  refused("/teams/0/ranks", "\"0-3\"",
          "teams[0].ranks: found \"0-3\", expected an ascending list of ranks below 3");
  refused("/teams/0/ranks", "\"\"",
          "teams[0].ranks: found \"\", expected an ascending list of ranks below 3");
  refused("/teams/0/regions", "[]",
          "teams[0].regions: found an array of 0, expected one region or more, or clocks");
  refused("/teams/0/regions/0/region", "0",
          "teams[0].regions[0].region: found 0, expected the id of a region, 1 or more");
  refused("/teams/0/regions/0/cores", "0",
          "teams[0].regions[0].cores: found 0, expected 1 or more");
  refused("/teams/0/regions/0/packages", "5",
          "teams[0].regions[0].packages: found 5, expected a whole number from 0 to 4");
  refused("/teams/0/clocks", "[{\"group\": 0, \"khz\": 5}]",
          "teams[0].clocks[0].group: found 0, expected the id of a group of phases, 1 or more");
  refused("/teams/0/clocks", "[{\"group\": 3, \"khz\": 0}]",
          "teams[0].clocks[0].khz: found 0, expected 1 or more");
}

}  // namespace
}  // namespace huddle
