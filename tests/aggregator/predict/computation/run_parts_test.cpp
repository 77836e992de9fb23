#include "aggregator/predict/computation/detail/run_parts.hpp"

#include <doctest/doctest.h>

#include "aggregator/predict/computation/samples.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

// Ranks 0 to 7 fill a node, 8 to 11 sit on one core of each die of another one.
Profile mixed_run(double full_s, double spread_s) {
  Profile profile = run_of(12, 8, full_s);
  for (std::uint32_t i = 0; i < 4; ++i) {
    RankRecord& record = profile.rank_records[8 + i];
    record.pus = PuSet::parse(std::to_string(2 * i));
    record.run_time = {spread_s};
  }
  return profile;
}

// Odd ranks have twice the work of the others.
void make_uneven(Profile& profile) {
  for (RankRecord& record : profile.rank_records)
    if (record.rank.value % 2 == 1) record.run_time = record.run_time * 2;
}

TEST_CASE("a run with nodes filled in two ways is a sample of both patterns") {
  const Profile alone = run_of(12, 1, 10);
  const Profile mixed = mixed_run(16, 12);
  const auto parts = parts_of({&alone, &mixed}, small_node());
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].pattern == Pattern{1, 1, 1});
  CHECK(parts[0].baseline == nullptr);
  CHECK(parts[1].pattern == Pattern{2, 2, 1});
  CHECK(parts[1].ranks == std::vector<std::uint32_t>{8, 9, 10, 11});
  CHECK(parts[2].pattern == Pattern{2, 2, 2});
  CHECK(parts[2].baseline == &alone);
  const ProgramSamples program = samples_of_program({&alone, &mixed}, small_node());
  CHECK(program.time_on({1, 1, 1}).value == doctest::Approx(10));
  CHECK(program.time_on({2, 2, 1}).value == doctest::Approx(12));
  CHECK(program.time_on({2, 2, 2}).value == doctest::Approx(16));
}

TEST_CASE("a part of the ranks stands for all, however the work is shared out") {
  Profile alone = run_of(12, 1, 10);
  Profile mixed = mixed_run(16, 12);
  make_uneven(alone);
  make_uneven(mixed);
  // One rank of the spread node has no equal: its part is heavier than half odd, half even.
  alone.rank_records[8].run_time = {50};
  mixed.rank_records[8].run_time = {60};
  const ProgramSamples program = samples_of_program({&alone, &mixed}, small_node());
  const double mean = program.time_on({1, 1, 1}).value;
  CHECK(mean == doctest::Approx((6 * 20 + 5 * 10 + 50) / 12.0));
  CHECK(program.time_on({2, 2, 1}).value == doctest::Approx(1.2 * mean));
  CHECK(program.time_on({2, 2, 2}).value == doctest::Approx(1.6 * mean));
}

TEST_CASE("without another run to compare with, a mixed run counts as the pattern that covers it") {
  const Profile mixed = mixed_run(16, 12);
  const auto parts = parts_of({&mixed}, small_node());
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].pattern == Pattern{2, 2, 2});
  CHECK(parts[0].ranks.size() == 12);
  CHECK(spread_of(parts[0]) == 0);
}

TEST_CASE("a part is the less sure the more its ranks differ") {
  const Profile alone = run_of(12, 1, 10);
  Profile mixed = mixed_run(16, 12);
  const auto spread = [&] { return spread_of(parts_of({&alone, &mixed}, small_node()).back()); };
  CHECK(spread() == doctest::Approx(0));
  mixed.rank_records[0].run_time = {17};
  const double little = spread();
  mixed.rank_records[0].run_time = {20};
  CHECK(little > 0.001);
  CHECK(spread() > 2 * little);
}

}  // namespace
}  // namespace huddle::predict
