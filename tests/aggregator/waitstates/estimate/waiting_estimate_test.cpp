#include "aggregator/waitstates/estimate/waiting_estimate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace huddle;

namespace {

constexpr double kLatency = 1e-6;

Profile run_of(std::uint32_t ranks) {
  Profile profile;
  profile.ranks = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    RankRecord record;
    record.rank = {rank};
    record.node = "node";
    record.run_time = {100};
    record.mpi_time = {50};
    profile.rank_records.push_back(record);
  }
  return profile;
}

CollectiveCalls calls_of(std::string operation, std::uint64_t calls, double time_s,
                         std::optional<double> shortest_s, std::uint64_t bytes = 0) {
  CollectiveCalls entry;
  entry.operation = std::move(operation);
  entry.participants = 2;
  entry.calls = calls;
  entry.bytes = {bytes};
  entry.size_class = bytes == 0 ? 0 : 1;
  entry.time = {time_s};
  if (shortest_s) entry.shortest = Seconds{*shortest_s};
  return entry;
}

double waiting(const WaitingEstimate& estimate, std::size_t rank, WaitPattern pattern) {
  return estimate.ranks.at(rank).waiting[static_cast<std::size_t>(pattern)].value;
}

double least(const WaitingEstimate& estimate, std::size_t rank, WaitPattern pattern) {
  return estimate.ranks.at(rank).least[static_cast<std::size_t>(pattern)].value;
}

double most(const WaitingEstimate& estimate, std::size_t rank, WaitPattern pattern) {
  return estimate.ranks.at(rank).most[static_cast<std::size_t>(pattern)].value;
}

bool says(const WaitingEstimate& estimate, std::string_view words) {
  return std::any_of(
      estimate.based_on.begin(), estimate.based_on.end(),
      [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

// Its only table: messages and collectives of one time each.
Machine machine_with(double collective_s) {
  Machine machine;
  machine.name = "test";
  machine.topology = "package:1 core:4 pu:1";
  for (LinkTime& link : machine.links) link = {{kLatency}, {1e9}, Origin::kMeasured};
  machine.collectives = {{"allreduce", "1:1:2", 2, {{{1}, {collective_s}, Origin::kMeasured}}}};
  return machine;
}

}  // namespace

TEST_CASE("a collective's transfer lies between the shortest call and the quickest rank's mean") {
  Profile profile = run_of(2);
  profile.rank_records[0].collectives = {calls_of("allreduce", 10, 5, 0.125)};
  profile.rank_records[1].collectives = {calls_of("allreduce", 10, 3, 0.02)};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(most(*estimate, 0, WaitPattern::kWaitAtNxN) == doctest::Approx(4.8));
  CHECK(most(*estimate, 1, WaitPattern::kWaitAtNxN) == doctest::Approx(2.8));
  CHECK(least(*estimate, 0, WaitPattern::kWaitAtNxN) == doctest::Approx(2));
  CHECK(least(*estimate, 1, WaitPattern::kWaitAtNxN) == doctest::Approx(0));
  CHECK(waiting(*estimate, 0, WaitPattern::kWaitAtNxN) == doctest::Approx(3.4));
  CHECK(waiting(*estimate, 1, WaitPattern::kWaitAtNxN) == doctest::Approx(1.4));
  CHECK(most(*estimate, 0, WaitPattern::kWaitAtBarrier) == 0);
  CHECK(says(*estimate, "shortest call"));
}

TEST_CASE("without shortest calls the quickest rank counts as one that waits for nobody") {
  Profile profile = run_of(2);
  profile.rank_records[0].collectives = {calls_of("barrier", 10, 5, {})};
  profile.rank_records[1].collectives = {calls_of("barrier", 20, 2, {})};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(waiting(*estimate, 0, WaitPattern::kWaitAtBarrier) == doctest::Approx(4));
  CHECK(waiting(*estimate, 1, WaitPattern::kWaitAtBarrier) == 0);
  CHECK(most(*estimate, 1, WaitPattern::kWaitAtBarrier) == doctest::Approx(2));
  CHECK(says(*estimate, "quickest rank"));
}

TEST_CASE("a machine says what a collective takes, within what the run has shown") {
  Profile profile = run_of(2);
  profile.rank_records[0].collectives = {calls_of("allreduce", 10, 5, 0.1, 10)};
  profile.rank_records[1].collectives = {calls_of("allreduce", 10, 3, 0.02, 10)};
  const auto waiting_with = [&](double collective_s) {
    const Machine machine = machine_with(collective_s);
    const auto estimate = estimate_waiting(profile, &machine);
    REQUIRE(estimate);
    CHECK(says(*estimate, "machine's tables"));
    return waiting(*estimate, 0, WaitPattern::kWaitAtNxN);
  };
  CHECK(waiting_with(0.2) == doctest::Approx(3));
  CHECK(waiting_with(0.001) == doctest::Approx(4.8));
  CHECK(waiting_with(7) == doctest::Approx(2));
}

TEST_CASE("the root of a broadcast does not wait, and if it is always late the others may") {
  Profile profile = run_of(2);
  profile.rank_records[0].collectives = {calls_of("bcast", 10, 1, 0.1, 80)};
  profile.rank_records[1].collectives = {calls_of("bcast", 10, 5, 0.5)};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(waiting(*estimate, 0, WaitPattern::kLateBroadcast) == 0);
  CHECK(most(*estimate, 0, WaitPattern::kLateBroadcast) == 0);
  CHECK(most(*estimate, 1, WaitPattern::kLateBroadcast) == doctest::Approx(5).epsilon(0.001));
  CHECK(least(*estimate, 1, WaitPattern::kLateBroadcast) == doctest::Approx(0));
}

TEST_CASE("communicators and sizes are kept apart, and a rank alone waits for nobody") {
  Profile profile = run_of(2);
  CollectiveCalls small = calls_of("allreduce", 1, 0.25, 0.25);
  CollectiveCalls large = calls_of("allreduce", 1, 4, 4);
  large.size_class = 20;
  CollectiveCalls elsewhere = calls_of("allreduce", 1, 2, 2);
  elsewhere.communicator_id = 7;
  CollectiveCalls alone = calls_of("barrier", 2, 4, 1);
  alone.participants = 1;
  profile.rank_records[0].collectives = {small, large, elsewhere, alone};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  for (const Seconds waited : estimate->ranks[0].waiting) CHECK(waited.value == 0);
}

TEST_CASE("time in receives beyond what messages take counts as waiting for senders") {
  Profile profile = run_of(3);
  profile.rank_records[0].sent = {{{1}, 4, 1000, {8000}}, {{2}, 4, 1000, {8000}}};
  profile.rank_records[1].calls = {{"isend", 5, 5, {9}}, {"recv", 1000, 1000, {3}}};
  profile.rank_records[2].calls = {{"waitall", 10, 10, {0.5}}, {"test", 9, 9, {2}}};
  const Machine machine = machine_with(1);
  const auto estimate = estimate_waiting(profile, &machine);
  REQUIRE(estimate);
  const double messages = 1000 * kLatency + 8000 / 1e9;
  CHECK(waiting(*estimate, 0, WaitPattern::kLateSender) == 0);
  CHECK(waiting(*estimate, 1, WaitPattern::kLateSender) == doctest::Approx(3 - messages));
  CHECK(waiting(*estimate, 2, WaitPattern::kLateSender) == doctest::Approx(0.5 - messages));
}

TEST_CASE("without a machine the quickest receiver may have waited or not, and the middle counts") {
  Profile profile = run_of(3);
  profile.rank_records[0].sent = {{{1}, 0, 1000, {0}}, {{2}, 0, 3000, {0}}};
  profile.rank_records[1].calls = {{"recv", 1000, 1000, {4}}};
  profile.rank_records[2].calls = {{"recv", 3000, 3000, {6}}};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(least(*estimate, 1, WaitPattern::kLateSender) == doctest::Approx(2));
  CHECK(least(*estimate, 2, WaitPattern::kLateSender) == doctest::Approx(0));
  CHECK(most(*estimate, 1, WaitPattern::kLateSender) == doctest::Approx(4).epsilon(0.01));
  CHECK(most(*estimate, 2, WaitPattern::kLateSender) == doctest::Approx(6).epsilon(0.01));
  CHECK(waiting(*estimate, 1, WaitPattern::kLateSender) == doctest::Approx(3).epsilon(0.01));
}

TEST_CASE("without a machine links are as quick as a rank has shown them to be") {
  Profile profile = run_of(3);
  profile.rank_records[0].sent = {{{1}, 30, 1000, {1000ULL << 29U}},
                                  {{2}, 30, 1000, {1000ULL << 29U}}};
  profile.rank_records[1].calls = {{"recv", 1000, 1000, {3}}};
  profile.rank_records[2].calls = {{"recv", 1000, 1000, {0.5}}};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(waiting(*estimate, 1, WaitPattern::kLateSender) == doctest::Approx(2.5));
  CHECK(waiting(*estimate, 2, WaitPattern::kLateSender) == doctest::Approx(0));
}

TEST_CASE("a run that was cut short has an estimate of its collectives alone") {
  Profile profile = run_of(2);
  profile.complete = false;
  profile.ranks = 2'000'000'000;
  profile.rank_records[0].calls = {{"recv", 1000, 1000, {3}}};
  profile.rank_records[0].collectives = {calls_of("barrier", 2, 5, 0.5)};
  profile.rank_records[1].sent = {{{0}, 4, 1000, {8000}}};
  const Machine machine = machine_with(1);
  const auto estimate = estimate_waiting(profile, &machine);
  REQUIRE(estimate);
  CHECK(most(*estimate, 0, WaitPattern::kWaitAtBarrier) == doctest::Approx(4));
  CHECK(most(*estimate, 0, WaitPattern::kLateSender) == 0);
  CHECK(says(*estimate, "cut short"));
}

TEST_CASE("an estimate says what it can't distinguish") {
  Profile profile = run_of(1);
  profile.rank_records[0].calls = {{"iallreduce", 5, 5, {1}}, {"wait", 100, 10, {3}}};
  const auto estimate = estimate_waiting(profile, nullptr);
  REQUIRE(estimate);
  CHECK(says(*estimate, "nonblocking collectives"));
  CHECK(says(*estimate, "Not all receives were timed"));
}

TEST_CASE("a profile without times has no estimate") {
  CHECK_FALSE(estimate_waiting(run_of(2), nullptr));
  CHECK_FALSE(estimate_waiting(Profile{}, nullptr));
}
