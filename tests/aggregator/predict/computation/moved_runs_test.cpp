#include "aggregator/predict/computation/moved_runs.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/predict/computation/samples.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle {
namespace {

PhaseRecord phase(std::uint64_t group, std::uint64_t count, double mean, double variance) {
  PhaseRecord record;
  record.group = group;
  record.count = count;
  record.mean = {mean};
  record.variance_s2 = variance;
  return record;
}

// Four ranks on a node, one on each die; a phase of 90 usual passes of 0.1 s, 8 of 0.15 s on one
// die a package, 2 between of 0.3 s, and 1 s beside it.
Profile moved_run(std::uint32_t ranks = 4) {
  Profile profile = run_of(ranks, 4, 9 + 1.2 + 0.6 + 1);
  profile.shared.phase_groups = {{7, "allreduce at a", "allreduce at a"}};
  for (RankRecord& record : profile.rank_records) {
    const std::uint32_t place = record.rank.value % 4;
    record.pus = {};
    record.pus.add(2 * place);
    record.events = {"cycles", "instructions", "cache-misses"};
    record.phases = {phase(7, 90, 0.1, 1e-4)};
    record.phases[0].counted = 90;
    record.phases[0].counts = {9e9, 9e9, 9e6};
    MovedPhases there;
    there.pus.add(place / 2 * 4 + place % 2);
    there.phases = {phase(7, 8, 0.15, 4e-4)};
    there.phases[0].counted = 4;
    there.phases[0].counts = {6e8, 4e8, 8e5};
    record.moved = {there};
    record.between_moves = {phase(7, 2, 0.3, 0)};
  }
  return profile;
}

TEST_CASE("one run whose ranks were moved is a sample on two patterns") {
  const Profile profile = moved_run();
  const ProgramSamples program = samples_of_program({&profile}, small_node());
  CHECK(program.patterns() == std::vector<Pattern>{{2, 1, 2}, {2, 2, 1}});
  REQUIRE(program.groups.size() == 2);
  const auto& samples = program.groups[0].samples;
  CHECK(program.groups[0].name == "allreduce at a to allreduce at a");
  CHECK(samples[0].time.value == doctest::Approx(15));  // all 100 passes
  CHECK(samples[1].time.value == doctest::Approx(10));
  CHECK(program.groups[1].samples[0].time.value == doctest::Approx(1.5));  // slower like the rest
  CHECK(program.groups[1].samples[1].time.value == doctest::Approx(1));
  // Of the mean of 8 passes of each of 4 ranks, and of 90.
  CHECK(samples[0].relative_error == doctest::Approx(std::sqrt(4e-4 / 7 / 4) / 0.15));
  CHECK(samples[1].relative_error == doctest::Approx(std::sqrt(1e-4 / 89 / 4) / 0.1));
  CHECK(samples[0].counts.at("cycles") == doctest::Approx(6e8 / 4 * 100));
  CHECK(samples[1].counts.at("cycles") == doctest::Approx(1e10));
  CHECK(*samples[0].ipc() == doctest::Approx(2.0 / 3));
  CHECK(program.has_events);
}

TEST_CASE("a phase without a pass on the other placement is taken to be slower like the rest") {
  Profile profile = moved_run();
  for (RankRecord& record : profile.rank_records) {
    record.run_time += Seconds{4};
    record.phases.push_back(phase(8, 40, 0.1, 0));
  }
  const RunsByPlacement found = runs_by_placement(profile, small_node());
  REQUIRE(found.runs.size() == 2);
  CHECK(found.runs[0].rank_records[0].run_time.value == doctest::Approx(15));
  CHECK(found.runs[1].rank_records[0].run_time.value == doctest::Approx(22.5));
  CHECK(found.runs[1].rank_records[0].phases.size() == 1);
}

TEST_CASE("one pass there has the variance that passes usually have") {
  Profile profile = moved_run();
  for (RankRecord& record : profile.rank_records) record.moved[0].phases = {phase(7, 1, 0.15, 0)};
  const RunsByPlacement found = runs_by_placement(profile, small_node());
  REQUIRE(found.runs.size() == 2);
  const PhaseRecord& there = found.runs[1].rank_records[0].phases[0];
  CHECK(there.count == 93);
  CHECK(there.variance_s2 == doctest::Approx(93 * 1e-4));
}

TEST_CASE("a placement is no sample if little was seen of a rank, or not all were moved") {
  for (const bool moved : {true, false}) {
    Profile profile = moved_run();
    if (moved)
      profile.rank_records[2].run_time = {40};  // most of it outside of the phase
    else
      profile.rank_records[2].moved.clear();
    const RunsByPlacement found = runs_by_placement(profile, small_node());
    CHECK(found.runs.size() == 1);
    REQUIRE(found.notes.size() == 1);
    CHECK(found.notes[0].find("too little was seen") != std::string::npos);
  }
}

TEST_CASE("a placement is no sample if its pattern is the usual one, or nodes differ") {
  Profile same = moved_run();
  for (RankRecord& record : same.rank_records) record.moved[0].pus = record.pus;
  CHECK(runs_by_placement(same, small_node()).runs.size() == 1);
  Profile different = moved_run(8);
  CHECK(runs_by_placement(different, small_node()).runs.size() == 2);
  for (std::size_t i = 4; i < 8; ++i)
    different.rank_records[i].moved[0].pus = different.rank_records[i].pus;
  CHECK(runs_by_placement(different, small_node()).runs.size() == 1);
}

TEST_CASE("an ordinary run is not touched") {
  const Profile profile = run_of(4, 4);
  CHECK_FALSE(was_moved(profile));
  CHECK(was_moved(moved_run()));
}

}  // namespace
}  // namespace huddle
