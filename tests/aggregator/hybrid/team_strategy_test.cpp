#include "aggregator/hybrid/team_strategy.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/hybrid/team_examples.hpp"

namespace huddle::hybrid {
namespace {

TeamPlan plan_by(TeamStrategy strategy, const TeamProgram& program) {
  TeamStrategyOptions options;
  options.strategy = strategy;
  return choose_teams(program, options);
}

/// On half of the cores it takes 30 % longer and less energy.
std::vector<TeamOption> packs_at_a_price(double seconds) {
  return {option_on(8, 2, seconds), option_on(4, 1, 1.3 * seconds)};
}

}  // namespace

TEST_CASE("static and one phase slow the critical rank, the improved one phase approach doesn't") {
  const TeamProgram program = program_of(
      {{region_with("a", packs_at_a_price(0.020))}, {region_with("a", packs_at_a_price(0.014))}});
  for (const TeamStrategy strategy : {TeamStrategy::kStatic, TeamStrategy::kOnePhase}) {
    const TeamPlan plan = plan_by(strategy, program);
    CHECK(plan.after.time.value == doctest::Approx(1.3 * plan.before.time.value));
    CHECK_FALSE(plan.within_bound);
  }
  const TeamPlan plan = plan_by(TeamStrategy::kImprovedOnePhase, program);
  CHECK(plan.choice == TeamChoice{{{0}}, {{1}}});
  CHECK(plan.after.time == plan.before.time);
  CHECK(plan.after.energy < plan.before.energy);
  CHECK(plan.within_bound);
  CHECK(plan.rows[1][0][0].cores == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("one phase makes another rank critical in a group, and loses by that") {
  // Each rank alone is as fast and cheaper on half of its cores over both groups, but then each
  // group has another critical rank.
  const std::vector<TeamOption> gains = {option_on(8, 2, 0.020), option_on(4, 1, 0.014)};
  const std::vector<TeamOption> loses = {option_on(8, 2, 0.020), option_on(4, 1, 0.026)};
  TeamProgram program = program_of({{region_with("a", gains)}, {region_with("a", loses)}});
  program.groups.push_back({"second", 100});
  for (TeamRank& rank : program.ranks) rank.groups.resize(2);
  program.ranks[0].groups[1].regions = {region_with("b", loses)};
  program.ranks[1].groups[1].regions = {region_with("b", gains)};
  const TeamPlan one = plan_by(TeamStrategy::kOnePhase, program);
  CHECK(one.changes);
  CHECK(one.after.time.value == doctest::Approx(1.3 * one.before.time.value));
  const TeamPlan improved = plan_by(TeamStrategy::kImprovedOnePhase, program);
  CHECK(improved.after.time.value <= improved.before.time.value * (1 + 1e-9));
  CHECK(improved.after.energy < one.after.energy);
  CHECK(improved.choice == TeamChoice{{{1}, {0}}, {{0}, {1}}});
}

TEST_CASE("static mapping loses to cold caches what each region gains") {
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.010), option_on(4, 2, 0.0095)}),
                   region_with("b", {option_on(8, 2, 0.010), option_on(4, 2, 0.0110)})}});
  program.ranks[0].groups[0].regions[1].options[1].seconds = {0.0150};
  for (TeamRegion& region : program.ranks[0].groups[0].regions) region.refill = {0.02};
  const TeamPlan plan = plan_by(TeamStrategy::kStatic, program);
  CHECK(plan.choice == TeamChoice{{{1, 0}}});
  CHECK(plan.after.time.value > 1.3 * plan.before.time.value);
  CHECK(plan.after.energy > plan.before.energy);
  const TeamPlan improved = plan_by(TeamStrategy::kImprovedOnePhase, program);
  CHECK_FALSE(improved.changes);
  CHECK(improved.after.switches == 0);
}

TEST_CASE("a region leaves its group's configuration where that saves more than switching costs") {
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.010), option_on(4, 1, 0.0090)}),
                   region_with("b", {option_on(8, 2, 0.010), option_on(4, 1, 0.0190)})}});
  program.switching = {{40e-6}, {134e-6}};
  for (TeamRegion& region : program.ranks[0].groups[0].regions) region.refill = {1e-4};
  const TeamPlan plan = plan_by(TeamStrategy::kImprovedOnePhase, program);
  CHECK(plan.choice == TeamChoice{{{1, 0}}});
  CHECK(plan.after.switches == 200);
}

TEST_CASE("where nothing is to gain, nothing changes, and the plan says so") {
  const std::vector<TeamOption> scales = {option_on(8, 2, 0.010), option_on(4, 1, 0.020),
                                          option_on(8, 2, 0.0199, kLowClock)};
  TeamProgram program = program_of({{region_with("a", scales)}, {region_with("a", scales)}});
  TeamPlan plan = plan_by(TeamStrategy::kImprovedOnePhase, program);
  CHECK_FALSE(plan.changes);
  CHECK(plan.choice == reference_choice(program));
  CHECK(plan.after.energy == plan.before.energy);
  CHECK(plan.reason == "Nothing changes: no other configuration saves energy within the bounds.");
  CHECK(plan.rows[0][0][0].reason == "The program stays as it is.");
  SUBCASE("and what is too little to gain is left, too") {
    program.ranks[1].groups[0].regions[0].options.push_back(option_on(8, 2, 0.00999, Hertz{1.9e9}));
    plan = plan_by(TeamStrategy::kImprovedOnePhase, program);
    CHECK(plan.changes);
    TeamStrategyOptions options;
    options.least_gain = 0.1;
    plan = choose_teams(program, options);
    CHECK_FALSE(plan.changes);
    CHECK(plan.reason.find("below the least gain of 10.00 %") != std::string::npos);
  }
}

TEST_CASE("a rank that waits runs at a lower clock, as far as the measured wait allows") {
  const auto clocks = [](double seconds) {
    return std::vector<TeamOption>{option_on(8, 2, seconds),
                                   option_on(8, 2, 1.3 * seconds, Hertz{1.5e9}),
                                   option_on(8, 2, 2 * seconds, kLowClock)};
  };
  TeamProgram program =
      program_of({{region_with("a", clocks(0.020))}, {region_with("a", clocks(0.012))}});
  CHECK(plan_by(TeamStrategy::kImprovedOnePhase, program).choice == TeamChoice{{{0}}, {{1}}});
  program.ranks[1].groups[0].wait = {0.3};  // of 0.8 s; 0.36 s would be needed
  CHECK_FALSE(plan_by(TeamStrategy::kImprovedOnePhase, program).changes);
  program.ranks[1].groups[0].wait = {0.39};
  TeamStrategyOptions options;
  options.above_static = 0;
  CHECK_FALSE(choose_teams(program, options).changes);  // (9): 0.36 x 1.1
  options.slack_tolerance = 0;
  CHECK(choose_teams(program, options).changes);
}

TEST_CASE("ranks of a node leave a package together, where one alone would save nothing") {
  // Both have half of each die. On half of its cores a rank takes 4 % longer.
  const std::vector<TeamOption> options = {option_on(4, 2, 0.0100, kTopClock, 4),
                                           option_on(2, 1, 0.0104, kTopClock, 4)};
  TeamProgram program = program_of({{region_with("a", options)}, {region_with("a", options)}});
  program.ranks[0].cores = {0, 2, 4, 6};
  program.ranks[1].cores = {1, 3, 5, 7};
  program.ranks[1].node = {0};
  program.node.power = {{kTopClock, {60}, {0}, {0.5}}};
  TeamStrategyOptions bounds;
  bounds.above_static = 0.05;
  const TeamChoice one = {{{1}}, {{0}}};
  CHECK(predict_team_program(program, one).energy >
        predict_team_program(program, reference_choice(program)).energy);
  const TeamPlan plan = choose_teams(program, bounds);
  CHECK(plan.choice == TeamChoice{{{1}}, {{1}}});
  CHECK(plan.rows[0][0][0].cores == std::vector<std::uint32_t>{0, 2});
  CHECK(plan.rows[1][0][0].cores == std::vector<std::uint32_t>{1, 3});
  CHECK(plan.after.energy < plan.before.energy);
}

TEST_CASE("a short region keeps the configuration before it, and says so") {
  const TeamProgram program =
      program_of({{region_with("long", {option_on(8, 2, 0.010), option_on(4, 1, 0.009)}),
                   region_with("short", {option_on(8, 2, 4e-4), option_on(4, 1, 4e-4)})}});
  const TeamPlan plan = plan_by(TeamStrategy::kImprovedOnePhase, program);
  const TeamRow& decision = plan.rows[0][0][1];
  CHECK(decision.follows);
  CHECK(decision.after == TeamConfiguration{8, 4, 1, kTopClock});
  CHECK(decision.option == 1);
  CHECK(decision.cores == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(plan.after.switches == 0);
}

TEST_CASE("time x clock, as published, prefers lower clocks whatever cores draw") {
  // Twice the time at half the clock is all the same to t x f; less than twice is a gain.
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.020)})},
                  {region_with("a", {option_on(8, 2, 0.010), option_on(8, 2, 0.018, kLowClock)})}});
  program.node.power = {{kLowClock, {20}, {4}, {10}}, {kTopClock, {20}, {4}, {10}}};
  CHECK_FALSE(choose_teams(program).changes);
  TeamStrategyOptions options;
  options.objective = TeamObjective::kTimesClock;
  const TeamPlan plan = choose_teams(program, options);
  CHECK(plan.choice == TeamChoice{{{0}}, {{1}}});
  CHECK(plan.after.energy > plan.before.energy);
}

TEST_CASE("times that may be too low count as long as they may be") {
  TeamProgram program =
      program_of({{region_with("a", {option_on(8, 2, 0.020), option_on(4, 1, 0.0199)})}});
  CHECK(choose_teams(program).changes);
  program.ranks[0].groups[0].regions[0].options[1].error = 0.05;
  CHECK_FALSE(choose_teams(program).changes);
}

TEST_CASE("bounds hold for any program, and nothing is worse than the best static mapping") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> share(0, 1);
  int changed = 0;
  for (int instance = 0; instance < 300; ++instance) {
    std::vector<std::vector<TeamRegion>> regions(1 + random() % 3);
    const std::size_t count = 1 + random() % 3;
    for (auto& of_rank : regions)
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<TeamOption> options;
        for (const Hertz clock : {kTopClock, Hertz{1.5e9}, kLowClock})
          for (const std::uint32_t cores : {8U, 4U, 2U})
            options.push_back(
                option_on(cores, cores == 8 ? 2 : 1, 0.001 + 0.02 * share(random), clock));
        of_rank.push_back(region_with("r", options));
        of_rank.back().refill = {0.002 * share(random)};
        of_rank.back().serial = {share(random) / 10};
      }
    TeamProgram program = program_of(regions);
    program.switching = {{1e-4 * share(random)}, {1e-4 * share(random)}};
    const TeamPlan plan = choose_teams(program);
    changed += plan.changes ? 1 : 0;
    const TeamPrediction best = predict_team_program(program, best_static_mapping(program));
    REQUIRE(plan.within_bound);
    REQUIRE(plan.after.time.value <= 1.01 * best.time.value * (1 + 1e-9));
    REQUIRE(plan.after.time.value <= 1.05 * plan.before.time.value);
    REQUIRE(plan.after.energy <= plan.before.energy);
    const TeamPrediction again = predict_team_program(program, plan.choice);
    REQUIRE(again.energy == plan.after.energy);
  }
  CHECK(changed > 200);
}

TEST_CASE("what a wish costs a rank that would wait is said beside what the run takes") {
  const TeamProgram program =
      program_of({{region_with("long", {option_on(8, 2, 0.02)})},
                  {region_with("short", {option_on(8, 2, 0.01), option_on(4, 1, 0.018)})}});
  const TeamPlan plan = plan_of_choice(program, {{{0}}, {{1}}}, 0.05);
  CHECK(plan.after.time == plan.before.time);
  CHECK(plan.reason.starts_with("asked for: +0 s (+0 %) of time, "));
  CHECK(
      plan.reason.ends_with("; the rank that changes most takes +0.8 s by itself, but each group "
                            "of phases ends when its last rank does"));
}

}  // namespace huddle::hybrid
