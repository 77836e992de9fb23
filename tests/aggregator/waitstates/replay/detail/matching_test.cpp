#include "aggregator/waitstates/replay/detail/matching.hpp"

#include <doctest/doctest.h>

#include "aggregator/waitstates/replay/detail/replay_message.hpp"

namespace huddle::waitstates {
namespace {

MessageInFlight at(std::uint64_t time) {
  return {time, 0, 0, 0, kNoIndex};
}

TEST_CASE("messages of a channel are taken in the order they were sent in, or behind others") {
  Mailboxes boxes;
  const WideKey channel = Mailboxes::channel(1, 0, 0, 7);
  MessageInFlight taken;
  CHECK_FALSE(boxes.take(channel, 0, taken));
  for (const std::uint64_t time : {10U, 20U, 30U}) CHECK(boxes.put(channel, at(time)) == kNoIndex);
  CHECK(boxes.left() == 3);
  REQUIRE(boxes.take(channel, 1, taken));
  CHECK(taken.time == 20);
  CHECK_FALSE(boxes.take(channel, 2, taken));
  REQUIRE(boxes.take(channel, 1, taken));
  CHECK(taken.time == 30);
  boxes.put(channel, at(40));
  REQUIRE(boxes.take(channel, 0, taken));
  CHECK(taken.time == 10);
  REQUIRE(boxes.take(channel, 0, taken));
  CHECK(taken.time == 40);
  CHECK(boxes.left() == 0);
}

TEST_CASE("channels differ in each of their four numbers") {
  Mailboxes boxes;
  boxes.put(Mailboxes::channel(1, 2, 3, 4), at(1));
  MessageInFlight taken;
  CHECK_FALSE(boxes.take(Mailboxes::channel(2, 1, 3, 4), 0, taken));
  CHECK_FALSE(boxes.take(Mailboxes::channel(1, 2, 4, 3), 0, taken));
  CHECK(boxes.take(Mailboxes::channel(1, 2, 3, 4), 0, taken));
}

TEST_CASE("who waits for a channel is returned once, and not after it left") {
  Mailboxes boxes;
  const WideKey channel = Mailboxes::channel(1, 0, 0, 0);
  boxes.wait(channel, 5);
  CHECK(boxes.put(channel, at(1)) == 5);
  CHECK(boxes.put(channel, at(2)) == kNoIndex);
  const WideKey other = Mailboxes::channel(1, 0, 0, 1);
  boxes.wait(other, 5);
  boxes.leave(other);
  CHECK(boxes.put(other, at(3)) == kNoIndex);
}

TEST_CASE("ends of access epochs are not among the messages that were never received") {
  Mailboxes boxes;
  boxes.put(Mailboxes::channel(1, 0, 3 | kWindowSubject, 0), at(1));
  CHECK(boxes.left() == 0);
}

TEST_CASE("an epoch is complete with the last post of its targets, whichever comes first") {
  AccessEpochs epochs;
  CHECK(epochs.current(2) == kNoIndex);
  CHECK(epochs.post(2, {50, 1, 8}) == kNoIndex);  // before the start
  const std::uint32_t epoch = epochs.open(2, 0);
  CHECK(epochs.current(2) == epoch);
  CHECK_FALSE(epochs.await(epoch, {8, 9}));
  CHECK(epochs.post(3, {70, 2, 9}) == kNoIndex);  // of another window
  CHECK(epochs.post(2, {60, 2, 9}) == epoch);
  CHECK(epochs[epoch].last_post == 60);
  CHECK(epochs[epoch].last_rank == 9);
  epochs.close(2);
  CHECK(epochs.current(2) == kNoIndex);
}

TEST_CASE(
    "of two posts at one time the lower rank's counts, and the next epoch has the next post") {
  AccessEpochs epochs;
  epochs.post(0, {10, 1, 5});
  epochs.post(0, {10, 2, 4});
  epochs.post(0, {90, 3, 5});
  const std::uint32_t first = epochs.open(0, 0);
  CHECK(epochs.await(first, {5, 4}));
  CHECK(epochs[first].last_rank == 4);
  epochs.close(0);
  const std::uint32_t second = epochs.open(0, 0);
  CHECK(epochs.await(second, {5}));
  CHECK(epochs[second].last_post == 90);
}

traces::TraceDefinitions two_threads_and_another_rank() {
  traces::TraceDefinitions all;
  all.locations = {{"", 0, 0, 0}, {"", 0, 1, 0}, {"", 1, 0, 0}};
  all.teams = {{0, 1}, {0, 2}};
  return all;
}

TEST_CASE("a team's barrier is complete when its last thread comes, which wakes them all") {
  const traces::TraceDefinitions definitions = two_threads_and_another_rank();
  std::vector<std::uint32_t> woken;
  TeamBarriers teams(definitions, [&](std::uint32_t location) { woken.push_back(location); });
  CHECK(teams.has(0, 1));
  CHECK_FALSE(teams.has(0, 2));  // no member
  CHECK_FALSE(teams.has(1, 0));  // of two ranks
  CHECK_FALSE(teams.has(2, 0));  // not defined
  CHECK(teams.arrive(0, 0, 30) == 0);
  CHECK(teams.complete(0, 0) == nullptr);
  CHECK(woken.empty());
  CHECK(teams.arrive(0, 1, 20) == 0);
  CHECK(woken == std::vector<std::uint32_t>{0, 1});
  REQUIRE(teams.complete(0, 0) != nullptr);
  CHECK(*teams.complete(0, 0) == 30);
  teams.leave(0, 0);
  teams.leave(0, 0);
  CHECK(teams.complete(0, 0) == nullptr);
  CHECK(teams.arrive(0, 1, 40) == 1);
}

TEST_CASE("a barrier is hopeless if a thread that has not come has ended") {
  const traces::TraceDefinitions definitions = two_threads_and_another_rank();
  TeamBarriers teams(definitions, [](std::uint32_t) {});
  teams.arrive(0, 0, 10);
  CHECK_FALSE(teams.hopeless(0, 0, {true, false, false}));
  CHECK(teams.hopeless(0, 0, {false, true, false}));
}

}  // namespace
}  // namespace huddle::waitstates
