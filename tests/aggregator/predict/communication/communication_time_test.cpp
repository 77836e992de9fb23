#include "aggregator/predict/communication/communication_time.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

// The machine's links, latency in s and bandwidth in bytes/s: die 1, 10; package 2, 5; node 3, 2;
// network 4, 1.

namespace huddle::predict {
namespace {

const Location kHere{0, 0, 0};
const Location kOtherDie{0, 0, 1};
const Location kOtherPackage{0, 1, 0};
const Location kOtherNode{1, 0, 0};

double time_s(const Profile& profile, const std::vector<Location>& locations) {
  return communication_time(profile, CommunicationTable(slow_machine()), locations).value;
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

std::vector<TimeOfSize> given(const std::vector<std::pair<std::uint64_t, double>>& times) {
  std::vector<TimeOfSize> known;
  for (const auto& [bytes, seconds] : times)
    known.push_back({{bytes}, {seconds}, Origin::kMeasured});
  return known;
}

double time_s(const Profile& profile, const Machine& machine,
              const std::vector<Location>& locations) {
  return communication_time(profile, CommunicationTable(machine), locations).value;
}

TEST_CASE(
    "a message takes the table's time for its mean size, at distances that are in the table") {
  Machine machine = slow_machine();
  machine.messages = {{Distance::kPackage, 1, given({{8, 4}, {128, 16}})}};
  Profile profile = run_of(2, 1);
  add_messages(profile, 0, 1, 3, 96);  // 32 bytes each: 8 s
  CHECK(time_s(profile, machine, {kHere, kOtherDie}) == doctest::Approx(3 * 8));
  CHECK(time_s(profile, machine, {kHere, kHere}) == doctest::Approx(3 * 1 + 96.0 / 10));
}

TEST_CASE("inside a node half as many pairs interfere as ranks talk at that distance") {
  Machine machine = slow_machine();
  machine.messages = {{Distance::kDie, 1, given({{8, 10}})}, {Distance::kDie, 2, given({{8, 30}})}};
  Profile profile = run_of(5, 5);
  add_messages(profile, 0, 1, 1, 8);
  const std::vector<Location> places = {kHere, kHere, kOtherDie, kOtherDie, kOtherNode};
  CHECK(time_s(profile, machine, places) == doctest::Approx(10));
  add_messages(profile, 2, 3, 1, 8);  // on the other die, of the same node
  CHECK(time_s(profile, machine, places) == doctest::Approx(30));
  // The same pair on another node.
  CHECK(time_s(profile, machine, {kHere, kHere, kOtherNode, kOtherNode, kHere}) ==
        doctest::Approx(10));
}

TEST_CASE("over the network every rank interferes that talks there, on the busier node") {
  Machine machine = slow_machine();
  machine.messages = {{Distance::kNetwork, 1, given({{1, 10}})},
                      {Distance::kNetwork, 4, given({{1, 160}})}};
  const std::vector<Location> places = {kHere, kHere, kOtherNode, {2, 0, 0}};
  Profile profile = run_of(4, 2);
  add_messages(profile, 0, 2, 1, 1);
  CHECK(time_s(profile, machine, places) == doctest::Approx(10));
  add_messages(profile, 3, 1, 1, 1);  // two ranks of the first node, one of each other one
  CHECK(time_s(profile, machine, places) == doctest::Approx(40));
}

TEST_CASE("a node's link bounds its messages by what the table shows it can carry") {
  Machine machine = slow_machine();
  // Hardly dearer with more pairs: 2 pairs get 2 x 100 bytes in 110 s.
  machine.messages = {{Distance::kNetwork, 1, given({{100, 10}, {200, 110}})},
                      {Distance::kNetwork, 2, given({{100, 10}, {200, 110}})}};
  Profile profile = run_of(3, 2);
  profile.rank_records[0].sent = {{{1}, 8, 1, {200}}};
  profile.rank_records[2].sent = {{{1}, 8, 1, {200}}};
  // Both ranks of a node receive from the other one: 400 bytes at 2 bytes/s.
  CHECK(time_s(profile, machine, {kHere, kOtherNode, kHere}) == doctest::Approx(2 * 110));
}

TEST_CASE("a collective of all ranks takes the table's time for their pattern and number") {
  Machine machine = slow_machine();
  machine.collectives = {{"allreduce", "1:1:2", 4, given({{8, 5}})},
                         {"allreduce", "2:1:1", 4, given({{8, 7}})}};
  Profile profile = run_of(4, 2);
  profile.rank_records[1].collectives = {{"allreduce", "world", 4, 4, 3, {24}, {}},
                                         {"barrier", "world", 4, 0, 1, {0}, {}}};
  const double barrier = 2 * 4;  // not in the table: two rounds of 4 s
  const Location second_package{1, 1, 0};
  CHECK(time_s(profile, machine, {kHere, kHere, kOtherNode, kOtherNode}) ==
        doctest::Approx(3 * 5 + barrier));
  CHECK(time_s(profile, machine, {kHere, kOtherPackage, kOtherNode, second_package}) ==
        doctest::Approx(3 * 7 + barrier));
}

TEST_CASE("a smaller communicator takes the longer of its own pattern and its surroundings'") {
  Machine machine = slow_machine();
  machine.collectives = {{"bcast", "1:1:1", 2, given({{8, 5}})},
                         {"bcast", "1:1:2", 4, given({{8, 20}})},
                         {"bcast", "1:1:2", 2, given({{8, 3}})}};
  Profile profile = run_of(4, 2);
  profile.shared.communicators = {{7, RankSet::parse("0,2", 4), {}}};
  profile.rank_records[0].collectives = {{"bcast", "derived", 2, 4, 1, {8}, {}, 7}};
  // A broadcast of its own kind takes 5 s; four ranks on two nodes take 20 s, two of them half as
  // many rounds.
  CHECK(time_s(profile, machine, {kHere, kHere, kOtherNode, kOtherNode}) == doctest::Approx(10));
  // Both on one node.
  CHECK(time_s(profile, machine, {kHere, kOtherNode, kHere, kOtherNode}) == doctest::Approx(3));
}

TEST_CASE("what is prepared once gives the same times") {
  Machine machine = slow_machine();
  machine.messages = {{Distance::kNetwork, 1, given({{1, 10}})}};
  Profile profile = run_of(2, 1);
  add_messages(profile, 0, 1, 3, 20);
  const CommunicationTable table(machine);
  machine.messages.clear();
  CHECK(communication_time(profile, table, {kHere, kOtherNode}).value ==
        doctest::Approx(3 * (10 + (20 / 3.0 - 1) / 1)));
}

}  // namespace
}  // namespace huddle::predict
