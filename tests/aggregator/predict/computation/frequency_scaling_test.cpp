#include "aggregator/predict/computation/frequency_scaling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

const Frequencies kFrequencies{
    {{1e9}, {1.5e9}, {2e9}}, {2e9}, {}, ClockDomain::kCore, Origin::kGiven};

// On one pattern, 100 s in one group.
ProgramSamples samples_with(std::map<std::string, double> counts) {
  ProgramSamples samples;
  samples.groups = {{"everything", {{{1, 1, 1}, {100}, 0.01, std::move(counts)}}}};
  return samples;
}

TEST_CASE("what cores do grows with 1/f, and waiting for memory does not") {
  CHECK(stretch_of({100}, {100}, 2).mean == doctest::Approx(2));
  CHECK(stretch_of({0}, {100}, 2).mean == doctest::Approx(1));
  CHECK(stretch_of({25}, {100}, 2).mean == doctest::Approx(1.25));
  CHECK(stretch_of({25}, {100}, 0.5).mean == doctest::Approx(0.875));
  CHECK(stretch_of({25}, {50}, 2).mean == doctest::Approx(1.5));  // less waiting on that pattern
  CHECK(stretch_of({25}, {20}, 2).mean == doctest::Approx(2));
}

TEST_CASE("two frequencies on one pattern determine how long cores are busy") {
  // 40 s of cores and 60 s of memory.
  const std::vector<FrequencySample> samples = {{"1:1:1", 1, {100}}, {"1:1:1", 2, {140}}};
  CHECK(core_time_by_frequencies(samples)->value == doctest::Approx(40));
}

TEST_CASE("patterns wait differently, and their cores do the same") {
  const std::vector<FrequencySample> samples = {
      {"1:1:1", 1, {100}}, {"1:1:1", 2, {140}}, {"2:2:2", 1, {200}}, {"2:2:2", 1.5, {220}}};
  CHECK(core_time_by_frequencies(samples)->value == doctest::Approx(40));
}

TEST_CASE("cores are never busy for less than no time") {
  CHECK(core_time_by_frequencies({{"1:1:1", 1, {100}}, {"1:1:1", 2, {99}}})->value == 0);
}

TEST_CASE("one frequency a pattern determines nothing, whatever the patterns") {
  CHECK_FALSE(core_time_by_frequencies({}));
  CHECK_FALSE(core_time_by_frequencies({{"1:1:1", 1, {100}}, {"2:2:2", 2, {150}}}));
}

TEST_CASE("low IPC counts as waiting, as far as the cache misses can explain it") {
  CHECK(core_time_by_ipc(samples_with({{"instructions", 5e10}, {"cycles", 2e11}}))->value ==
        doctest::Approx(25));
  CHECK(core_time_by_ipc(samples_with({{"instructions", 6e11}, {"cycles", 2e11}}))->value ==
        doctest::Approx(100));
  // 1e8 misses of 100 ns: 10 s, however low the IPC.
  CHECK(core_time_by_ipc(
            samples_with({{"instructions", 5e10}, {"cycles", 2e11}, {"cache-misses", 1e8}}))
            ->value == doctest::Approx(90));
  CHECK(core_time_by_ipc(
            samples_with({{"instructions", 5e10}, {"cycles", 2e11}, {"cache-misses", 1e10}}))
            ->value == doctest::Approx(25));
}

TEST_CASE("without IPC nothing is guessed, and a group without it counts whole") {
  CHECK_FALSE(core_time_by_ipc(samples_with({})));
  CHECK_FALSE(core_time_by_ipc({}));
  ProgramSamples samples = samples_with({{"instructions", 5e10}, {"cycles", 2e11}});
  samples.groups.push_back({"more", {{{1, 1, 1}, {50}, 0.01, {}}}});
  CHECK(core_time_by_ipc(samples)->value == doctest::Approx(75));
}

TEST_CASE("of several patterns the one with the busiest cores counts") {
  ProgramSamples samples = samples_with({{"instructions", 5e10}, {"cycles", 2e11}});
  samples.groups[0].samples.push_back(
      {{2, 2, 2}, {200}, 0.01, {{"instructions", 5e10}, {"cycles", 4e11}}});
  CHECK(core_time_by_ipc(samples)->value == doctest::Approx(25));
  samples.groups[0].samples.back().counts["instructions"] = 1e11;
  CHECK(core_time_by_ipc(samples)->value == doctest::Approx(50));
}

Profile run_with(const std::vector<std::string>& events, const std::vector<double>& totals) {
  Profile profile = run_of(2, 1);
  for (RankRecord& record : profile.rank_records) {
    record.events = events;
    record.event_totals = totals;
    record.cpu_time = Seconds{100};
  }
  return profile;
}

TEST_CASE("a run's frequency is its cycles over its time on cores") {
  CHECK_FALSE(effective_frequency(run_of(2, 1)));
  CHECK_FALSE(effective_frequency(run_with({"instructions"}, {1e11})));
  CHECK(effective_frequency(run_with({"cycles"}, {1.5e11}))->value == doctest::Approx(1.5e9));
  CHECK(effective_frequency(run_with({"cycles", "task-clock"}, {1.5e11, 50e9}))->value ==
        doctest::Approx(3e9));
  CHECK(
      effective_frequency(run_with({"cpu_core/cycles", "cpu_atom/cycles"}, {1e11, 5e10}))->value ==
      doctest::Approx(1.5e9));
  Profile half = run_with({"cycles"}, {1.5e11});
  half.rank_records[1].event_totals = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(effective_frequency(half)->value == doctest::Approx(1.5e9));
}

TEST_CASE("a run had the nearest settable frequency, the nominal one unless it is far off") {
  CHECK(settable_frequency_of(run_of(2, 1), kFrequencies) == Hertz{2e9});
  CHECK(settable_frequency_of(run_with({"cycles"}, {1.85e11}), kFrequencies) == Hertz{2e9});
  CHECK(settable_frequency_of(run_with({"cycles"}, {1.4e11}), kFrequencies) == Hertz{1.5e9});
  CHECK(settable_frequency_of(run_with({"cycles"}, {0.8e11}), kFrequencies) == Hertz{1e9});
  CHECK(settable_frequency_of(run_with({"cycles"}, {3e11}), kFrequencies) == Hertz{2e9});
}

}  // namespace
}  // namespace huddle::predict
