#include <doctest/doctest.h>

#include <random>

#include "tests/evaluation/hybrid/hybrid_study.hpp"
#include "tests/evaluation/hybrid/team_optimum.hpp"

namespace huddle::hybrid {
namespace {

/// A region that only computes, for a second on one core at 2 GHz.
TrueProgram computing(std::uint32_t threads) {
  TrueProgram program;
  program.node = four_packages();
  program.node.barrier_s = program.node.shared_core_s = 0;
  TrueRank rank;
  for (std::uint32_t core = 0; core < 16; ++core) rank.cores.push_back(core);
  TrueRegion region;
  region.gigacycles = 2;
  region.threads = threads;
  rank.groups = {{region}};
  rank.send_s = {0};
  program.ranks = {rank};
  program.group_passes = {1};
  return program;
}

TrueSetting on(std::uint32_t cores, double ghz) {
  TrueSetting setting;
  setting.configuration = {16, cores, 1, {ghz * 1e9}};
  for (std::uint32_t core = 0; core < cores; ++core) setting.cores.push_back(core);
  return setting;
}

}  // namespace

TEST_CASE("in the truth computation follows cores and clock, and teams that don't divide lose") {
  const TrueProgram program = computing(16);
  const TrueRegion& region = program.ranks[0].groups[0][0];
  const auto seconds = [&](std::uint32_t cores, double ghz) {
    return pass_seconds(program, program.ranks[0], region, on(cores, ghz));
  };
  CHECK(seconds(16, 2) == doctest::Approx(1.0 / 16));
  CHECK(seconds(16, 1) == doctest::Approx(2.0 / 16));
  CHECK(seconds(4, 2) == doctest::Approx(1.0 / 4));
  CHECK(seconds(12, 2) == doctest::Approx(seconds(8, 2)));
}

TEST_CASE("in the truth memory flows as fast as packages let it, and slower where overasked") {
  TrueProgram program = computing(16);
  TrueRegion& region = program.ranks[0].groups[0][0];
  region.gigacycles = 0;
  region.bytes = 6e9;
  const auto seconds = [&](std::uint32_t cores) {
    return pass_seconds(program, program.ranks[0], region, on(cores, 2));
  };
  CHECK(seconds(1) == doctest::Approx(6 / 2.5));
  CHECK(seconds(2) == doctest::Approx(6 / 5.0));
  CHECK(seconds(4) == doctest::Approx(1 + 0.5 * (10.0 / 6 - 1)));
}

TEST_CASE("the truth's energy is that of the parts that are busy") {
  const TrueProgram program = computing(16);
  const TrueRun run = run_truth(program, {{{on(8, 2)}}});
  const double watts = 130 + 2 * (8 + 0.5 * 8) + 2 * (2 + 0.2 * 8) + 8 * (3 + 8.0);
  CHECK(run.joules == doctest::Approx(watts / 8));
  const TrueRun longer = run_truth(program, {{{on(8, 2)}}}, {1});
  CHECK(longer.joules - run.joules == doctest::Approx((130 + 12 + 3.6 + 11) * 7 / 8));
}

TEST_CASE("no choice of a small program draws less than the optimum, and one draws as much") {
  for (const std::uint64_t seed : {3U, 4U, 8U}) {
    const TrueProgram program = random_program(seed);
    const Case of = case_of(program, {0, seed, 2, 2});
    const double most = most_seconds(of, exact_options());
    const double least = least_joules(program, of.described, most, of.reference.joules);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < 2000; ++draw) {
      TeamChoice choice = reference_choice(of.described);
      for (auto& rank : choice)
        for (auto& group : rank)
          for (std::size_t& option : group) option = random() % 4;
      const TrueRun run = run_truth(program, settings_of(of.described, choice));
      if (run.seconds <= most) REQUIRE(run.joules >= least * (1 - 1e-9));
    }
    CHECK(least <= of.reference.joules * (1 + 1e-9));
    bool alone = true;
    for (std::size_t r = 1; r < program.ranks.size(); ++r)
      alone = alone && program.ranks[r].node != program.ranks[r - 1].node;
    if (alone) CHECK(joules_at_least(program, of.described, most) <= least * (1 + 1e-9));
  }
}

TEST_CASE("V-cycles save by position what one choice for all levels can't") {
  for (const TrueNode& node : {four_packages(), two_packages(), four_dies()}) {
    const Case of = case_of(v_cycles(node), {});
    const TeamProgram merged = without_positions(of.described);
    REQUIRE(merged.ranks[0].groups[0].regions.size() == 2);
    CHECK(predict_team_program(merged, reference_choice(merged)).time.value ==
          doctest::Approx(of.reference.seconds).epsilon(0.01));
    const Outcome without = outcome_without_positions(of, exact_options());
    const Outcome with = outcome_of(of, exact_options());
    CHECK(with.saved >= without.saved + 0.02);
    CHECK(with.above_static <= 0.01 + 1e-6);
    CHECK(with.longer <= 0.05);
    // All changes are counted: costs of switching are those between neighbours.
    CHECK(with.off_time == doctest::Approx(0).epsilon(0.001));
    CHECK(with.switches > 0);
  }
}

TEST_CASE("with true times the model predicts what the truth does") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Case of = case_of(random_program(seed), {0, seed, 3, 3});
    std::mt19937_64 random(seed);
    TeamChoice choice = reference_choice(of.described);
    for (auto& rank : choice)
      for (auto& group : rank)
        for (std::size_t& option : group) option = random() % 4;
    const TrueRun run = run_truth(of.program, settings_of(of.described, choice));
    const TeamPrediction predicted = predict_team_program(of.described, choice);
    CHECK(predicted.time.value == doctest::Approx(run.seconds).epsilon(0.02));
    CHECK(predicted.energy.value == doctest::Approx(run.joules).epsilon(0.02));
  }
}

}  // namespace huddle::hybrid
