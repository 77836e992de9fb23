#include "aggregator/predict/computation/waiting_pace.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

constexpr std::uint32_t kRanks = 8;

// Each rank computes for `computing`, `before_sends` of it before it sends, and is 10 s in MPI.
// Rank r waits for r seconds in receives: the last one for 7.
Profile pipeline(std::uint32_t ranks_per_node, double computing, double before_sends) {
  Profile run = run_of(kRanks, ranks_per_node, computing + 10);
  for (RankRecord& record : run.rank_records) {
    record.mpi_time = {10};
    record.calls = {{"recv", 8, 8, {static_cast<double>(record.rank.value)}, {}},
                    {"send", 8, 8, {0}, Seconds{before_sends}}};
  }
  return run;
}

WaitingPace pace_of(const std::vector<const Profile*>& runs) {
  return {runs, small_node(), nullptr, {}};
}

Seconds on_pattern(const WaitingPace& pace, const Pattern& pattern, double computing) {
  RankClass all{sharing_of(pattern), {}};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) all.ranks.push_back(rank);
  return pace.on({all}, {computing});
}

Pattern densest() {
  return {2, 2, 2};
}

TEST_CASE("waiting of a pipeline grows as what ranks compute before they send") {
  const Profile sparse = pipeline(1, 100, 40);
  const Profile dense = pipeline(8, 200, 44);  // twice as long, but what is sent on 1.1 times
  const WaitingPace pace = pace_of({&sparse, &dense});
  // The last rank waits in receives for 7 of its 10 s in MPI.
  CHECK(pace.share() == doctest::Approx(0.7));
  CHECK(pace.of(sparse).value == doctest::Approx(100));
  CHECK(pace.of(dense).value == doctest::Approx(0.3 * 200 + 0.7 * 110));
  CHECK(on_pattern(pace, {1, 1, 1}, 100).value == doctest::Approx(100));
  CHECK(on_pattern(pace, densest(), 200).value == doctest::Approx(137));
}

TEST_CASE("cores that are slower stretch both") {
  const Profile sparse = pipeline(1, 100, 40);
  const Profile dense = pipeline(8, 200, 44);
  RankClass all{sharing_of(densest()), {0, 1, 2, 3, 4, 5, 6, 7}};
  CHECK(pace_of({&sparse, &dense}).on({all}, {400}, 2).value == doctest::Approx(2 * 137));
}

TEST_CASE(
    "the last ranks of a pipeline, which send nothing, compute before their sends as the others "
    "do") {
  Profile sparse = pipeline(1, 100, 40);
  Profile dense = pipeline(8, 200, 44);
  for (Profile* run : {&sparse, &dense}) run->rank_records.back().calls.pop_back();
  CHECK(pace_of({&sparse, &dense}).of(dense).value == doctest::Approx(137));
}

TEST_CASE("a program that sends without blocking is taken by those sends") {
  Profile sparse = pipeline(1, 100, 40);
  Profile dense = pipeline(8, 200, 44);
  for (Profile* run : {&sparse, &dense})
    for (RankRecord& record : run->rank_records) record.calls[1].operation = "isend";
  CHECK(pace_of({&sparse, &dense}).of(dense).value == doctest::Approx(137));
}

TEST_CASE(
    "runs that do not show a pipeline leave waiting as it was: it grows with all computation") {
  const Profile sparse = pipeline(1, 100, 40);
  const Profile dense = pipeline(8, 200, 44);
  const auto expect_all_computation = [](const std::vector<const Profile*>& runs) {
    const WaitingPace pace = pace_of(runs);
    CHECK(pace.share() == 0);
    CHECK(pace.of(*runs.back()) == runs.back()->mean_computation_time());
    CHECK(on_pattern(pace, densest(), 123).value == 123);
  };
  SUBCASE("one run") {
    expect_all_computation({&sparse});
  }
  SUBCASE("one pattern") {
    expect_all_computation({&sparse, &sparse});
  }
  SUBCASE("nothing is computed before sends") {
    const Profile little = pipeline(8, 200, 0.1);
    expect_all_computation({&sparse, &little});
  }
  SUBCASE("a recorder that did not tell") {
    Profile silent = dense;
    for (RankRecord& record : silent.rank_records) record.calls[1].before.reset();
    expect_all_computation({&sparse, &silent});
  }
  SUBCASE("nobody waits in receives") {
    Profile other = sparse;
    for (RankRecord& record : other.rank_records) record.calls[0].time = {0};
    expect_all_computation({&other, &dense});
  }
}

}  // namespace
}  // namespace huddle::predict
