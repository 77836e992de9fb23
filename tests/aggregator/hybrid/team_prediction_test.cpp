#include "aggregator/hybrid/team_prediction.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/hybrid/team_examples.hpp"

namespace huddle::hybrid {
namespace {

/// All parts of a node of example_node() at the top clock, and its first core alone.
constexpr double kAll = 100 + 2 * 20 + 4 * 4 + 8 * 10;
constexpr double kFirst = 100 + 20 + 4 + 10;

}  // namespace

TEST_CASE("a group takes as long as the last rank, and who waits keeps a core busy") {
  const TeamProgram program = program_of(
      {{region_with("a", {option_on(8, 2, 0.02)})}, {region_with("a", {option_on(8, 2, 0.01)})}});
  const TeamPrediction run = predict_team_program(program, reference_choice(program));
  CHECK(run.time.value == doctest::Approx(2));
  CHECK(run.energy.value == doctest::Approx(2 * kAll + kAll + kFirst));
  CHECK(run.ranks[1][0].value == doctest::Approx(1));
  CHECK(run.switches == 0);
}

TEST_CASE("serial time has one core busy, and sending makes a group longer") {
  TeamProgram program = program_of({{region_with("a", {option_on(8, 2, 0.02)})}});
  program.ranks[0].groups[0].regions[0].serial = {1};
  program.ranks[0].groups[0].send = {0.5};
  const TeamPrediction run = predict_team_program(program, reference_choice(program));
  CHECK(run.time.value == doctest::Approx(3.5));
  CHECK(run.energy.value == doctest::Approx(2 * kAll + 1.5 * kFirst));
}

TEST_CASE("a change of cores costs binding and refill, a change of clock its time") {
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.02), option_on(4, 1, 0.02)}),
                   region_with("b", {option_on(8, 2, 0.02), option_on(8, 2, 0.02, kLowClock)})}});
  program.switching = {{1e-3}, {2e-3}};
  for (TeamRegion& region : program.ranks[0].groups[0].regions) region.refill = {8e-3};
  // Into a: no core is new. Into b: half of them are.
  TeamPrediction run = predict_team_program(program, {{{1, 0}}});
  CHECK(run.time.value == doctest::Approx(4 + 100 * (1e-3 + 1e-3 + 4e-3)));
  CHECK(run.switches == 200);
  run = predict_team_program(program, {{{0, 1}}});
  CHECK(run.time.value == doctest::Approx(4 + 100 * (2e-3 + 2e-3)));
  program.ranks[0].groups[0].regions[1].entries = 10;
  run = predict_team_program(program, {{{0, 1}}});
  CHECK(run.time.value == doctest::Approx(4 + 110 * 2e-3));
}

TEST_CASE("a package and a die that two ranks use at once count once") {
  TeamProgram program = program_of({{region_with("a", {option_on(4, 2, 0.02, kTopClock, 4)})},
                                    {region_with("a", {option_on(4, 2, 0.01, kTopClock, 4)})}});
  program.ranks[0].cores = {0, 2, 4, 6};
  program.ranks[1].cores = {1, 3, 5, 7};
  program.ranks[1].node = {0};
  const TeamPrediction run = predict_team_program(program, reference_choice(program));
  // Then rank 1 waits on its first core, whose die and package rank 0 uses anyway.
  CHECK(run.energy.value == doctest::Approx(1 * kAll + 1 * (kAll - 3 * 10)));
  SUBCASE("at the highest clock that is asked for, where they have one") {
    program.node.clock_of_package = true;
    program.ranks[1].groups[0].regions[0].options[0] = option_on(4, 2, 0.02, kLowClock, 4);
    CHECK(predict_team_program(program, reference_choice(program)).energy.value ==
          doctest::Approx(2 * kAll));
    program.node.clock_of_package = false;
    CHECK(predict_team_program(program, reference_choice(program)).energy.value ==
          doctest::Approx(2 * (kAll - 4 * 7)));
  }
}

TEST_CASE("clocks between those with known power lie between them") {
  const TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.01, Hertz{1.5e9})})}});
  CHECK(predict_team_program(program, reference_choice(program)).energy.value ==
        doctest::Approx(100 + 2 * 15 + 4 * 3 + 8 * 6.5));
}

TEST_CASE("a region below a million cycles does what the region before it does") {
  TeamProgram program =
      program_of({{region_with("long", {option_on(8, 2, 0.01), option_on(4, 1, 0.015)}),
                   region_with("short", {option_on(8, 2, 4e-4), option_on(4, 1, 3e-4)})}});
  CHECK(predict_team_program(program, {{{1, 0}}}).time.value == doctest::Approx(1.5 + 0.03));
  CHECK(predict_team_program(program, {{{0, 1}}}).time.value == doctest::Approx(1 + 0.04));
  program.ranks[0].groups[0].regions[1].options[0].seconds = {6e-4};
  CHECK(predict_team_program(program, {{{1, 0}}}).time.value == doctest::Approx(1.5 + 0.06));
}

TEST_CASE("what a rank waited less than it might have means that it began later") {
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.02)})},
                  {region_with("a", {option_on(8, 2, 0.01), option_on(4, 1, 0.015)})}});
  program.ranks[1].groups[0].wait = {0.2};
  CHECK(predict_team_program(program, {{{0}}, {{0}}}).time.value == doctest::Approx(2));
  CHECK(predict_team_program(program, {{{0}}, {{1}}}).time.value == doctest::Approx(2.3));
}

}  // namespace huddle::hybrid
