#include "aggregator/efficiency/scaling.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/efficiency/made_up_runs.hpp"

namespace huddle::efficiency {
namespace {

using doctest::Approx;

// A run whose ranks compute `useful` seconds together, balanced.
ScalingSample sample_of(std::uint32_t ranks, double elapsed, double useful) {
  ScalingSample sample;
  sample.name = std::to_string(ranks) + ".json";
  sample.executable = "/opt/solver";
  sample.ranks = sample.threads = ranks;
  sample.elapsed = {elapsed};
  sample.useful = Seconds{useful};
  sample.efficiency.mpi = {1, useful / ranks / elapsed};
  return sample;
}

std::string refusal_of(std::vector<ScalingSample> samples) {
  try {
    scaling_of(std::move(samples), std::nullopt);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Runs by Amdahl's law, with this share that no further threads make faster.
std::vector<ScalingRow> amdahl_rows(const std::vector<std::uint32_t>& threads, double share) {
  std::vector<ScalingSample> samples;
  for (const std::uint32_t count : threads) {
    const double times = static_cast<double>(count) / threads[0];
    samples.push_back(sample_of(count, 100 * (share + (1 - share) / times), 100));
  }
  return scaling_of(samples, ScalingKind::kStrong).rows;
}

}  // namespace

TEST_CASE("runs are compared with the smallest one, in whatever order they are given") {
  const Scaling scaling =
      scaling_of({sample_of(8, 15, 100), sample_of(2, 50, 80), sample_of(4, 25, 90)}, {});
  REQUIRE(scaling.rows.size() == 3);
  CHECK(scaling.rows[0].sample.ranks == 2);
  CHECK(scaling.rows[2].speedup == Approx(50.0 / 15));
  REQUIRE(scaling.rows[2].computation);
  CHECK(*scaling.rows[2].computation == Approx(0.8));
  REQUIRE(scaling.rows[2].global);
  // What is left of the smallest run's useful time over all time.
  CHECK(*scaling.rows[2].global == Approx(80.0 / (8 * 15)));
  CHECK(scaling.kind == ScalingKind::kStrong);
  CHECK_FALSE(scaling.kind_is_known);
}

TEST_CASE("with weak scaling the work grows with the threads") {
  const Scaling scaling =
      scaling_of({sample_of(2, 50, 80), sample_of(4, 50, 160)}, ScalingKind::kWeak);
  CHECK(scaling.rows[1].speedup == Approx(2));
  CHECK(scaling.rows[1].computation == Approx(1));
  CHECK(scaling.rows[1].global == Approx(0.8));
}

TEST_CASE("problem sizes say which kind of scaling it is") {
  std::vector<ScalingSample> samples = {sample_of(2, 50, 80), sample_of(4, 25, 80)};
  samples[0].problem_size = 1000;
  samples[1].problem_size = 1000;
  CHECK(scaling_of(samples, {}).kind == ScalingKind::kStrong);
  CHECK(scaling_of(samples, {}).kind_is_known);
  samples[1].problem_size = 2000;
  CHECK(scaling_of(samples, {}).kind == ScalingKind::kWeak);
  samples[1].problem_size = 1500;
  CHECK(refusal_of(samples) ==
        "2.json solves a problem of size 1000 with 2 threads, 4.json one of 1500 with 4: expected "
        "is one size, or one that grows with the threads");
}

TEST_CASE("runs of several programs are not compared") {
  std::vector<ScalingSample> samples = {sample_of(2, 50, 80), sample_of(4, 25, 80)};
  samples[1].executable = "/home/anna/build/solver";
  CHECK(refusal_of(samples).empty());
  samples[1].executable = "/opt/other";
  CHECK(
      refusal_of(samples).starts_with("2.json is of the program \"solver\", 4.json of \"other\""));
}

TEST_CASE("computation scales by instructions, instructions per cycle and clock") {
  std::vector<ScalingSample> samples = {sample_of(2, 50, 80), sample_of(4, 30, 100)};
  samples[0].counts = {{160e9, 160e9, {80}}};
  samples[1].counts = {{176e9, 220e9, {100}}};
  const ScalingRow row = scaling_of(samples, {}).rows[1];
  CHECK(row.instructions == Approx(160.0 / 176));
  CHECK(row.ipc == Approx(0.8));
  CHECK(row.clock == Approx(1.1));
  CHECK(*row.instructions * *row.ipc * *row.clock == Approx(*row.computation));
}

TEST_CASE("a hybrid run whose threads' work is not known has no global efficiency") {
  std::vector<ScalingSample> samples = {sample_of(2, 50, 80), sample_of(4, 25, 80)};
  samples[1].hybrid = true;
  samples[1].useful.reset();
  const ScalingRow row = scaling_of(samples, {}).rows[1];
  CHECK_FALSE(row.computation);
  CHECK_FALSE(row.global);
  CHECK(row.speedup == Approx(2));
}

TEST_CASE("profiles that can't be compared are refused by name") {
  CHECK_THROWS_WITH_AS(scaling_sample_of(run_with_loads(0, {0}), "a.json"),
                       "a.json: the profile has no times, which runs could be compared by", Error);
  Profile cut = run_with_loads(10, {8});
  cut.complete = false;
  cut.cut_short_reason = "rank 3 was killed";
  CHECK_THROWS_WITH_AS(scaling_sample_of(cut, "b.json"),
                       "b.json: the run was cut short (rank 3 was killed): expected is a whole one",
                       Error);
}

TEST_CASE("runs of one size say nothing on where it stops") {
  CHECK(scaling_outlook_of(amdahl_rows({4, 4}, 0)).kind == ScalingOutlook::Kind::kOneSize);
}

TEST_CASE("two sizes show what is lost, and no law") {
  const ScalingOutlook outlook = scaling_outlook_of(amdahl_rows({2, 8}, 0.1));
  CHECK(outlook.kind == ScalingOutlook::Kind::kTwoSizes);
  CHECK(outlook.efficiency == Approx(1 / 1.3));
  CHECK(outlook.factor == ScalingFactor::kCommunication);
}

// With a tenth that stays as it is, eleven times the threads do half of what they could.
TEST_CASE("runs by Amdahl's law show where half of the efficiency is left") {
  const ScalingOutlook outlook = scaling_outlook_of(amdahl_rows({2, 4, 8}, 0.1));
  CHECK(outlook.kind == ScalingOutlook::Kind::kForeseen);
  CHECK(outlook.limit == 22);
  CHECK(outlook.most_speedup == Approx(10));
  CHECK(outlook.off < 1e-9);
}

TEST_CASE("a limit that is more than ten times what was run is only a guess") {
  const ScalingOutlook outlook = scaling_outlook_of(amdahl_rows({1, 4, 8}, 0.01));
  CHECK(outlook.kind == ScalingOutlook::Kind::kFar);
  CHECK(outlook.limit == 101);
}

TEST_CASE("runs that lose nothing have no limit in sight") {
  CHECK(scaling_outlook_of(amdahl_rows({2, 4, 8}, 0.001)).kind == ScalingOutlook::Kind::kNoLoss);
}

TEST_CASE("a larger run that is no faster is where it stops") {
  const Scaling scaling = scaling_of(
      {sample_of(2, 50, 80), sample_of(4, 30, 80), sample_of(8, 31, 80)}, ScalingKind::kStrong);
  CHECK(scaling.outlook.kind == ScalingOutlook::Kind::kStopped);
  CHECK(scaling.outlook.limit == 4);
}

TEST_CASE("runs that are far from the law say nothing on where it stops") {
  const Scaling scaling = scaling_of(
      {sample_of(2, 100, 80), sample_of(4, 52, 80), sample_of(8, 49, 80)}, ScalingKind::kStrong);
  CHECK(scaling.outlook.kind == ScalingOutlook::Kind::kNoLaw);
}

TEST_CASE("of several runs of one size the fastest is the one that counts") {
  std::vector<ScalingRow> rows = amdahl_rows({2, 4, 8}, 0.1);
  rows.insert(rows.begin() + 1, rows[0]);
  rows[1].speedup = 0.5;
  CHECK(scaling_outlook_of(rows).limit == 22);
}

}  // namespace huddle::efficiency
