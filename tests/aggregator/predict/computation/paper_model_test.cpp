#include "aggregator/predict/computation/paper_model.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace huddle::predict {
namespace {

const Pattern kFull{1, 1, 2};
const Pattern kSpread{2, 2, 1};
const Pattern kTarget{2, 2, 2};

PhaseSample counted(const Pattern& pattern, double time, double ipc, double misses_per_cycle) {
  const double cycles = time * 1e9;
  return {pattern,
          {time},
          0.002,
          {{"cycles", cycles},
           {"instructions", ipc * cycles},
           {"cache-misses", misses_per_cycle * cycles}}};
}

// A program of 1e10 instructions whose IPC is known on the three patterns.
ProgramSamples program_of(int number, double ipc_dense, double ipc_spread, double ipc_target,
                          double rate_dense, double rate_spread) {
  ProgramSamples program;
  program.program = program.run = fmt::format("program {}", number);
  program.has_events = true;
  program.groups = {{"everything",
                     {counted(kFull, 10 / ipc_dense, ipc_dense, rate_dense),
                      counted(kSpread, 10 / ipc_spread, ipc_spread, rate_spread),
                      counted(kTarget, 10 / ipc_target, ipc_target, rate_dense)}}};
  return program;
}

TEST_CASE("an IPC falls into the paper's four classes, whose begins belong to them") {
  CHECK(ipc_class_of(0) == 0);
  CHECK(ipc_class_of(0.99) == 0);
  CHECK(ipc_class_of(1) == 1);
  CHECK(ipc_class_of(1.499) == 1);
  CHECK(ipc_class_of(1.5) == 2);
  CHECK(ipc_class_of(2) == 3);
  CHECK(ipc_class_of(7) == 3);
  CHECK(ipc_class_of(-1) == 0);
}

TEST_CASE("equations (1) to (3) have these terms for two samples and one event") {
  const std::vector<double> expected = {2, 1, 0.2, 0.3, 0.03, 2};
  const std::vector<double> found = paper_terms({2, 1}, {{0.1}, {0.3}});
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]));
}

TEST_CASE("equations (1) to (3) pair every two of three samples, for each of two events") {
  const std::vector<double> expected = {1,    2,    3,                    // IPC_i
                                        0.1,  0.4,  0.9,  0.4, 1.0, 1.8,  // IPC_i e_(j,i)
                                        0.02, 0.03, 0.06,                 // e_(1,i) e_(1,k)
                                        0.20, 0.24, 0.30,                 // e_(2,i) e_(2,k)
                                        2,    3,    6};                   // IPC_i IPC_k
  const std::vector<double> found = paper_terms({1, 2, 3}, {{0.1, 0.4}, {0.2, 0.5}, {0.3, 0.6}});
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]));
}

TEST_CASE("a prediction is what the equations give by hand, and time is instructions over IPC") {
  PaperModel model{{kFull, kSpread}, {"cache-misses"}, true, {}};
  // 0.5 x 2 + 0.25 x 1 + 1 x 0.2 + 2 x 0.3 + 10 x 0.03 + 0.1 x 2 + 0.05 = 2.6
  model.fits.push_back({kTarget, {}, {{0.5, 0.25, 1, 2, 10, 0.1}, 0.05, 0, 0}, 9});
  const PhaseGroupSamples group{"everything",
                                {counted(kFull, 10, 2, 0.1), counted(kSpread, 20, 1, 0.3)}};
  REQUIRE(model.time_on(kTarget, group));
  CHECK(model.time_on(kTarget, group)->value == doctest::Approx(20 / 2.6));
  CHECK_FALSE(model.time_on({1, 2, 1}, group));

  // A class's own fit comes before the one over all classes; the mean IPC here is 1.5.
  model.fits.push_back({kTarget, 2, {{0, 0, 0, 0, 0, 0}, 4, 0, 0}, 9});
  CHECK(model.time_on(kTarget, group)->value == doctest::Approx(5));
  model.fits.back().fit.constant = -1;
  CHECK_FALSE(model.time_on(kTarget, group));
}

TEST_CASE("training finds coefficients that programs were made with") {
  std::vector<ProgramSamples> programs;
  for (int i = 0; i < 40; ++i) {
    const double dense = 1.25 + 0.2 * std::sin(1.7 * i);
    const double spread = 1.3 + 0.15 * std::cos(2.3 * i);
    const double rate_dense = 0.01 + 0.004 * std::sin(0.9 * i);
    const double rate_spread = 0.008 + 0.003 * std::cos(1.1 * i);
    const double target =
        0.1 + 0.6 * dense + 0.2 * spread - 5 * dense * rate_dense + 0.05 * dense * spread;
    programs.push_back(program_of(i, dense, spread, target, rate_dense, rate_spread));
  }
  const PaperModel model = fit_paper_model(programs, {kSpread, kFull}, true);
  REQUIRE(model.knows(kTarget));
  CHECK(model.events == std::vector<std::string>{"cache-misses"});
  CHECK(model.sample_patterns == std::vector<Pattern>{kFull, kSpread});
  const double target = 0.1 + 0.6 * 1.3 + 0.2 * 1.2 - 5 * 1.3 * 0.012 + 0.05 * 1.3 * 1.2;
  const ProgramSamples unseen = program_of(99, 1.3, 1.2, target, 0.012, 0.007);
  CHECK(model.time_on(kTarget, unseen.groups.front())->value ==
        doctest::Approx(10 / target).epsilon(0.001));
}

TEST_CASE("the events that correlate most with the target's IPC are chosen") {
  std::vector<ProgramSamples> programs;
  for (int i = 0; i < 12; ++i) {
    const double misses = 0.01 + 0.001 * i;
    programs.push_back(program_of(i, 1.2, 1.3, 1.4 - 30 * misses, misses, misses));
    for (PhaseSample& sample : programs.back().groups.front().samples) {
      sample.counts["branches"] = sample.counts["cycles"] * (i % 2 == 0 ? 0.1 : 0.2);
      sample.counts["bus-cycles"] = sample.counts["cycles"] * (0.5 - 0.01 * i);
    }
  }
  PaperOptions options;
  options.most_events = 2;
  std::vector<std::string> events =
      fit_paper_model(programs, {kFull, kSpread}, true, options).events;
  std::sort(events.begin(), events.end());
  CHECK(events == std::vector<std::string>{"bus-cycles", "cache-misses"});
}

TEST_CASE("with times alone, ratios of times stand for ratios of IPC") {
  std::vector<ProgramSamples> programs;
  for (int i = 0; i < 10; ++i) {
    const double spread = 1 + 0.03 * i;  // relative to the dense sample
    programs.push_back(program_of(i, 1, spread, 0.5 + 0.4 * spread, 0.01, 0.01).times_only());
  }
  const PaperModel model = fit_paper_model(programs, {kFull, kSpread}, false);
  const PhaseGroupSamples group =
      program_of(99, 1, 1.21, 0.5 + 0.4 * 1.21, 0, 0).times_only().groups.front();
  CHECK(model.time_on(kTarget, group)->value ==
        doctest::Approx(10 / (0.5 + 0.4 * 1.21)).epsilon(0.001));
}

TEST_CASE("too few programs make no fit, and a sample without events no prediction") {
  std::vector<ProgramSamples> programs = {program_of(0, 1, 1.1, 0.9, 0.01, 0.01),
                                          program_of(1, 1, 1.2, 0.9, 0.01, 0.01)};
  CHECK(fit_paper_model(programs, {kFull, kSpread}, true).fits.empty());
  programs.push_back(program_of(2, 1.1, 1.2, 1.0, 0.02, 0.01));
  const PaperModel model = fit_paper_model(programs, {kFull, kSpread}, true);
  CHECK(model.knows(kTarget));
  CHECK_FALSE(model.time_on(kTarget, programs[0].times_only().groups.front()));
}

}  // namespace
}  // namespace huddle::predict
