#include "profiles/recorder/counters.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace huddle;
using namespace huddle::recorder;

namespace {

std::string name_of(std::uint32_t operation) {
  return operation == 0xffff ? "last" : "operation" + std::to_string(operation);
}

}  // namespace

TEST_CASE("messages of several threads are merged and ordered by receiver and size class") {
  ThreadCounters first, second;
  first.add_message(Rank{7}, 100);
  first.add_message(Rank{7}, 0);
  first.add_message(Rank{2147483647}, 1);
  second.add_message(Rank{7}, 127);
  second.add_message(Rank{7}, 128);
  second.add_message(Rank{0}, ~std::uint64_t{0});
  const auto cells = merged_messages({&first, &second});
  REQUIRE(cells.size() == 5);
  const auto is = [](const SentMessages& cell, std::uint32_t receiver, unsigned size_class,
                     std::uint64_t messages, std::uint64_t bytes) {
    return cell.receiver.value == receiver && cell.size_class == size_class &&
           cell.messages == messages && cell.bytes.value == bytes;
  };
  CHECK(is(cells[0], 0, 64, 1, ~std::uint64_t{0}));
  CHECK(is(cells[1], 7, 0, 1, 0));
  CHECK(is(cells[2], 7, 7, 2, 227));
  CHECK(is(cells[3], 7, 8, 1, 128));
  CHECK(is(cells[4], 2147483647, 1, 1, 1));
}

TEST_CASE("collectives are told apart by operation, communicator, participants and size class") {
  ThreadCounters first, second;
  const CollectiveKey world{.operation = 3, .participants = 2147483647};
  const CollectiveKey derived{.operation = 3, .derived = true, .participants = 4};
  const CollectiveKey last{.operation = 0xffff, .participants = 1};
  first.add_collective(world, 8, 100);
  second.add_collective(world, 9, 200);
  second.add_collective(world, 1000, 1);
  first.add_collective(derived, 8, 50);
  first.add_collective(last, 0, 0);
  const Interval run({.ticks = 0, .nanoseconds = 0}, {.ticks = 1000, .nanoseconds = 2000});
  const auto entries = merged_collectives({&first, &second}, run, name_of);
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].operation == "operation3");
  CHECK(entries[0].communicator == "world");
  CHECK(entries[0].participants == 2147483647);
  CHECK(entries[0].size_class == 4);
  CHECK(entries[0].calls == 2);
  CHECK(entries[0].bytes.value == 17);
  CHECK(entries[0].time.value == doctest::Approx(600e-9));
  CHECK(entries[1].size_class == 10);
  CHECK(entries[2].communicator == "derived");
  CHECK(entries[2].participants == 4);
  CHECK(entries[3].operation == "last");
  CHECK(entries[3].calls == 1);
}

TEST_CASE("time inside MPI adds up") {
  ThreadCounters counters;
  counters.add_time(5);
  counters.add_time(7);
  CHECK(counters.ticks_inside() == 12);
}

TEST_CASE("an interval measures by the system's clock and converts ticks by its own rate") {
  const Interval run({.ticks = 500, .nanoseconds = 1'000'000},
                     {.ticks = 4500, .nanoseconds = 3'000'000});
  CHECK(run.length().value == doctest::Approx(2e-3));
  CHECK(run.lasted(4000).value == doctest::Approx(2e-3));
  CHECK(run.lasted(1).value == doctest::Approx(0.5e-6));
}

TEST_CASE("an interval without length has no time in it") {
  const Moment now{.ticks = 10, .nanoseconds = 10};
  CHECK(Interval(now, now).length().value == 0);
  CHECK(Interval(now, now).lasted(1000).value == 0);
}

TEST_CASE("the clock goes forward and agrees with the system's") {
  TickClock::choose();
  const Moment begin = Moment::now();
  while (TickClock::nanoseconds() < begin.nanoseconds + 20'000'000) {
  }
  const Moment middle = Moment::now();
  while (TickClock::nanoseconds() < middle.nanoseconds + 20'000'000) {
  }
  const Moment end = Moment::now();
  const double by_ticks = Interval(begin, end).lasted(middle.ticks - begin.ticks).value;
  const double by_system = static_cast<double>(middle.nanoseconds - begin.nanoseconds) * 1e-9;
  // Between the two readings of a moment the process may have to wait for a processor.
  CHECK(by_ticks == doctest::Approx(by_system).epsilon(0.2));
}
