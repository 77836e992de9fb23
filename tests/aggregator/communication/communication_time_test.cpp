#include "aggregator/communication/communication_time.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

// The machine's links, latency in s and bandwidth in bytes/s: die 1, 10; package 2, 5; node 3, 2;
// network 4, 1.

namespace huddle {
namespace {

const Location kHere{0, 0, 0};
const Location kOtherDie{0, 0, 1};
const Location kOtherPackage{0, 1, 0};
const Location kOtherNode{1, 0, 0};

double time_s(const Profile& profile, const std::vector<Location>& locations) {
  return communication_time(profile, slow_machine(), locations).value;
}

double pair_time_s(const Location& receiver) {
  Profile profile = run_of(2, 1);
  add_messages(profile, 0, 1, 3, 20);
  return time_s(profile, {kHere, receiver});
}

double collective_time_s(const CollectiveCalls& calls, const std::vector<Location>& locations) {
  Profile profile = run_of(static_cast<std::uint32_t>(locations.size()), 1);
  profile.rank_records[0].collectives = {calls};
  return time_s(profile, locations);
}

TEST_CASE("a message costs latency and bytes over bandwidth of the distance it goes") {
  CHECK(pair_time_s(kHere) == doctest::Approx(3 * 1 + 20.0 / 10));
  CHECK(pair_time_s(kOtherDie) == doctest::Approx(3 * 2 + 20.0 / 5));
  CHECK(pair_time_s(kOtherPackage) == doctest::Approx(3 * 3 + 20.0 / 2));
  CHECK(pair_time_s(kOtherNode) == doctest::Approx(3 * 4 + 20.0 / 1));
}

TEST_CASE("a program that sends nothing communicates in no time") {
  CHECK(time_s(run_of(3, 1), {kHere, kHere, kOtherNode}) == 0);
}

TEST_CASE("messages of a rank do not overlap, sending and receiving do") {
  Profile profile = run_of(3, 1);
  add_messages(profile, 0, 1, 3, 20);  // in the die: 3 x 1 + 20/10 = 5
  add_messages(profile, 0, 2, 1, 5);   // to the other die: 2 + 5/5 = 3
  add_messages(profile, 1, 0, 2,
               30);  // in the die: 2 x 1 + 30/10 = 5, less than the 8 rank 0 sends
  CHECK(time_s(profile, {kHere, kHere, kOtherDie}) == doctest::Approx(8));
}

TEST_CASE("a rank that only receives can be the slowest one") {
  Profile profile = run_of(4, 1);
  for (const std::uint32_t sender : {0U, 1U, 2U}) add_messages(profile, sender, 3, 1, 10);
  CHECK(time_s(profile, {kHere, kHere, kHere, kHere}) == doctest::Approx(3 * (1 + 10.0 / 10)));
}

TEST_CASE("ranks of a node share its link to the others") {
  Profile profile = run_of(4, 2);
  add_messages(profile, 0, 2, 1, 20);  // each rank alone: 4 + 20/1 = 24
  add_messages(profile, 1, 3, 1, 20);  // the node's link: 20/1 + 20/1 = 40
  CHECK(time_s(profile, {kHere, kHere, kOtherNode, kOtherNode}) == doctest::Approx(40));
}

TEST_CASE("both directions of a link work at once") {
  Profile profile = run_of(4, 2);
  add_messages(profile, 0, 2, 1, 20);
  add_messages(profile, 3, 1, 1, 20);
  CHECK(time_s(profile, {kHere, kHere, kOtherNode, kOtherNode}) == doctest::Approx(24));
}

TEST_CASE("messages of a rank to itself cost nothing") {
  Profile profile = run_of(2, 1);
  add_messages(profile, 0, 0, 100, 1000);
  CHECK(time_s(profile, {kHere, kOtherNode}) == 0);
}

TEST_CASE("a collective takes log2 of its participants rounds at the widest distance") {
  const CollectiveCalls calls{"allreduce", "world", 4, 4, 6, {48}, {}};
  CHECK(collective_time_s(calls, {kHere, kHere, kHere, kHere}) ==
        doctest::Approx(2 * (6 * 1 + 48.0 / 10)));
  CHECK(collective_time_s(calls, {kHere, kHere, kHere, kOtherDie}) ==
        doctest::Approx(2 * (6 * 2 + 48.0 / 5)));
  CHECK(collective_time_s(calls, {kOtherDie, kHere, kOtherPackage, kHere}) ==
        doctest::Approx(2 * (6 * 3 + 48.0 / 2)));
  CHECK(collective_time_s(calls, {kHere, kHere, kOtherNode, kHere}) ==
        doctest::Approx(2 * (6 * 4 + 48.0 / 1)));
}

TEST_CASE("participants that are no power of two take a round more") {
  for (const auto& [participants, rounds] :
       {std::pair{1U, 0}, {2U, 1}, {3U, 2}, {4U, 2}, {5U, 3}, {8U, 3}, {9U, 4}}) {
    CAPTURE(participants);
    const CollectiveCalls calls{"barrier", "world", participants, 0, 10, {0}, {}};
    CHECK(collective_time_s(calls, {kHere, kHere}) == doctest::Approx(rounds * 10 * 1));
  }
}

TEST_CASE("an all-to-all pays latency for every partner and its bytes once") {
  for (const std::string operation : {"alltoall", "alltoallv", "ialltoallw", "neighbor_alltoall"}) {
    const CollectiveCalls calls{operation, "world", 4, 4, 6, {48}, {}};
    CHECK(collective_time_s(calls, {kHere, kHere, kHere, kOtherDie}) ==
          doctest::Approx(6 * 3 * 2 + 48.0 / 5));
  }
}

TEST_CASE("collectives of the slowest rank come on top of the messages") {
  Profile profile = run_of(2, 1);
  add_messages(profile, 0, 1, 3, 20);                                              // 5
  profile.rank_records[0].collectives = {{"barrier", "world", 2, 0, 1, {0}, {}},   // 1
                                         {"bcast", "world", 2, 4, 1, {10}, {}}};   // 1 + 1
  profile.rank_records[1].collectives = {{"barrier", "world", 2, 0, 2, {0}, {}}};  // 2
  CHECK(time_s(profile, {kHere, kHere}) == doctest::Approx(5 + 3));
}

}  // namespace
}  // namespace huddle
