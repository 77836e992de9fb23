#include "aggregator/predict/computation/samples.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/predict/computation/clock_curve.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// One phase group of 10 passes, counted in 5 of them, with 3 s of computation outside of it.
void add_phase(Profile& profile, double pass_s, double cycles, double instructions, double misses) {
  profile.shared.phase_groups = {{7, "allreduce at a", "waitall at b"}};
  for (RankRecord& record : profile.rank_records) {
    record.run_time = {10 * pass_s + 3};
    record.events = {"cpu_core/cycles", "instructions", "cache-misses"};
    PhaseRecord phase;
    phase.group = 7;
    phase.count = 10;
    phase.mean = {pass_s};
    phase.counted = 5;
    phase.counts = {cycles, instructions, misses};
    record.phases = {phase};
  }
}

ProgramSamples of(const std::vector<Profile>& profiles) {
  std::vector<const Profile*> runs;
  for (const Profile& profile : profiles) runs.push_back(&profile);
  return samples_of_program(runs, small_node());
}

TEST_CASE("a run without phases is one group, on the pattern that it ran on") {
  const ProgramSamples program = of({run_of(4, 1, 10), run_of(4, 4, 14)});
  REQUIRE(program.groups.size() == 1);
  CHECK(program.groups[0].name == "everything");
  CHECK(program.patterns() == std::vector<Pattern>{{1, 1, 1}, {1, 2, 2}});
  CHECK(program.time_on({1, 1, 1}).value == doctest::Approx(10));
  CHECK(program.time_on({1, 2, 2}).value == doctest::Approx(14));
  CHECK(program.time_on({2, 2, 2}) == Seconds{0});
  CHECK_FALSE(program.has_events);
  CHECK(program.notes == std::vector<std::string>{
                             "the hardware counters counted no instructions, no cycles or nothing "
                             "else everywhere (multiplexed to nothing?), so computation is "
                             "predicted from times alone"});
}

TEST_CASE("runs of a weakly scaling program are of one case, however many ranks they have") {
  Profile one = run_of(1, 1, 10);
  Profile four = run_of(4, 4, 15);
  one.label = four.label = "kernel";
  CHECK(samples_of_programs({one, four}, small_node()).size() == 2);
  CHECK_THROWS_AS(of({one, four}), UsageError);
  one.scales_weakly = true;
  CHECK_THROWS_AS(of({one, four}), UsageError);
  four.scales_weakly = true;
  const std::vector<ProgramSamples> programs = samples_of_programs({one, four}, small_node());
  REQUIRE(programs.size() == 1);
  CHECK(programs[0].run == "kernel");
  CHECK(programs[0].time_on({1, 1, 1}).value == doctest::Approx(10));
  CHECK(programs[0].time_on({1, 2, 2}).value == doctest::Approx(15));
  // Two inputs stay two cases.
  four.arguments = {"--footprint", "1"};
  CHECK(samples_of_programs({one, four}, small_node()).size() == 2);
}

TEST_CASE("phases are distinguished, and what passes were not counted counts like the others") {
  Profile profile = run_of(2, 1);
  add_phase(profile, 2, 5e9, 1e10, 1e7);
  profile.rank_records[1].phases[0].counts = {1.5e10, 1e10, 3e7};
  const ProgramSamples program = of({profile});
  REQUIRE(program.groups.size() == 2);
  const PhaseSample& phase = program.groups[0].samples[0];
  CHECK(program.groups[0].name == "allreduce at a to waitall at b");
  CHECK(phase.time.value == doctest::Approx(20));
  CHECK(phase.counts.at("cycles") == doctest::Approx(2e10));
  CHECK(*phase.ipc() == doctest::Approx(1));  // 2e10 instructions in 2e10 cycles, over both ranks
  CHECK(*phase.rate("cache-misses") == doctest::Approx(0.002));
  CHECK_FALSE(phase.rate("branches"));
  CHECK(program.groups[1].name == "the rest");
  CHECK(program.groups[1].samples[0].time.value == doctest::Approx(3));
  CHECK(program.has_events);
}

// 5 passes of 2 s that were counted, with 3 s of polling between their delimiters, at 2 GHz.
TEST_CASE("the clock is that of all the time in which cycles were counted, inside MPI or not") {
  Profile profile = run_of(2, 1);
  add_phase(profile, 2, 2.6e10, 1e10, 1e7);
  CHECK_FALSE(of({profile}).groups[0].samples[0].clock);  // nobody says how long they were counted
  for (RankRecord& record : profile.rank_records) record.phases[0].counted_time = {13};
  const ProgramSamples program = of({profile});
  CHECK(*program.groups[0].samples[0].clock == doctest::Approx(2e9));
  CHECK_FALSE(program.groups[1].samples[0].clock);  // the rest was not counted
  CHECK_FALSE(program.times_only().groups[0].samples[0].clock);
}

TEST_CASE(
    "the clock of a run without phases is that of its totals; a run that lacks it takes it away") {
  Profile profile = run_of(2, 1, 10);
  for (RankRecord& record : profile.rank_records) {
    record.events = {"cycles"};
    record.event_totals = {2.5e10};
  }
  CHECK(*of({profile}).groups[0].samples[0].clock == doctest::Approx(2.5e9));
  CHECK_FALSE(of({profile, run_of(2, 1, 10)}).groups[0].samples[0].clock);
}

// Counted alike on both patterns: what differs is how long ranks poll.
TEST_CASE("a program that polls less on one pattern shows no other clock there") {
  std::vector<Profile> runs = {run_of(8, 1), run_of(8, 8)};
  for (const std::size_t run : {0U, 1U}) {
    const double polling = run == 0 ? 6 : 1;
    add_phase(runs[run], 2, (10 + polling) * 2e9, 1e10, 1e7);
    for (RankRecord& record : runs[run].rank_records)
      record.phases[0].counted_time = {10 + polling};
  }
  const ClockCurve curve({of(runs)});
  CHECK(curve.is_known());
  CHECK(curve.slowdown(sharing_of({2, 2, 2})) == 1);
}

TEST_CASE("a phase that one of the runs does not have counts to the rest") {
  Profile with = run_of(2, 1);
  add_phase(with, 2, 5e9, 1e10, 1e7);
  const ProgramSamples program = of({with, run_of(2, 2, 25)});
  REQUIRE(program.groups.size() == 1);
  CHECK(program.time_on({1, 1, 1}).value == doctest::Approx(23));
  CHECK(program.time_on({1, 1, 2}).value == doctest::Approx(25));
}

TEST_CASE("what phases leave over is no group of its own if it is next to nothing") {
  Profile sparse = run_of(2, 1);
  Profile dense = run_of(2, 2);
  add_phase(sparse, 2, 5e9, 1e10, 1e7);
  add_phase(dense, 3, 7e9, 1e10, 3e7);
  for (RankRecord& record : sparse.rank_records) record.run_time = {20 + 1e-15};
  for (RankRecord& record : dense.rank_records) record.run_time = {30 + 1e-3};
  const ProgramSamples program = of({sparse, dense});
  REQUIRE(program.groups.size() == 1);
  CHECK(program.groups[0].name == "allreduce at a to waitall at b");
  CHECK(program.time_on({1, 1, 1}).value == doctest::Approx(20));
  CHECK(program.time_on({1, 1, 2}).value == doctest::Approx(30.001));
  CHECK(program.has_events);
}

TEST_CASE("an event that was on no counter is not used, and a note says so") {
  Profile sparse = run_of(2, 1);
  Profile dense = run_of(2, 2);
  add_phase(sparse, 2, 5e9, 1e10, 1e7);
  add_phase(dense, 3, 7e9, 1e10, kNothing);
  const ProgramSamples program = of({sparse, dense});
  CHECK_FALSE(program.has_events);
  REQUIRE(program.notes.size() == 2);
  CHECK(program.notes[0] == "not counted in every sample, and so not used: cache-misses");
  CHECK(program.groups[0].samples[0].counts.size() == 2);
}

TEST_CASE("runs on one pattern are averaged, and doubted if they differ much") {
  const ProgramSamples alike = of({run_of(4, 1, 10), run_of(4, 1, 10.2)});
  CHECK(alike.time_on({1, 1, 1}).value == doctest::Approx(10.1));
  CHECK(alike.groups[0].samples[0].relative_error == doctest::Approx(0.1 / 10.1));
  CHECK(alike.doubt == 1);
  const ProgramSamples unlike = of({run_of(4, 1, 10), run_of(4, 1, 20)});
  CHECK(unlike.time_on({1, 1, 1}).value == doctest::Approx(15));
  CHECK(unlike.doubt > 5);
  CHECK(unlike.notes.front() ==
        "the runs on 1:1:1 contradict each other: 10 s and 20 s of computation; their mean is "
        "taken, and the intervals are wider");
}

TEST_CASE("a profile of another machine is doubted") {
  Profile profile = run_of(4, 1);
  profile.rank_records[3].pus = PuSet::parse("99");
  const ProgramSamples program = of({profile});
  CHECK(program.doubt == 2);
  CHECK(program.notes.front() ==
        "a profile names PUs that the machine's nodes do not have: it is of another machine, and "
        "the intervals are wider");
}

TEST_CASE("what can't be a sample is refused with the reason") {
  CHECK(error_of<UsageError>([] { of({}); }) == "samples of a program need at least one profile");
  CHECK(error_of<UsageError>([] {
          of({run_of(4, 1), run_of(2, 1)});
        }) ==
        "profiles of 4 and of 2 ranks can't be samples of one program: give those of one size");
  CHECK(error_of<UsageError>([] { of({run_of(4, 1, 0)}); }) ==
        "the profile of app has no time outside MPI in it, so nothing can be learnt from it about "
        "computation: measure the program with huddle record");
  Profile cut = run_of(4, 1);
  cut.complete = false;
  cut.cut_short_reason = "killed";
  CHECK(error_of<UsageError>([&] { of({cut}); }) ==
        "the profile of app was cut short (killed): measure a whole run");
}

TEST_CASE("profiles are sorted into programs by label, executable, arguments and ranks") {
  std::vector<Profile> profiles = {run_of(4, 1), run_of(4, 2), run_of(2, 1), run_of(4, 1)};
  profiles[3].arguments = {"--large"};
  const std::vector<ProgramSamples> programs = samples_of_programs(profiles, small_node());
  REQUIRE(programs.size() == 3);
  CHECK(programs[0].run == "app on 2 ranks");
  CHECK(programs[1].run == "app on 4 ranks");
  CHECK(programs[1].patterns().size() == 2);
  CHECK(programs[2].run == "app --large on 4 ranks");
  CHECK(programs[2].program == programs[0].program);
}

}  // namespace
}  // namespace huddle::predict
