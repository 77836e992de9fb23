#include "profiles/recorder/profile/counters.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using huddle::recorder::SparseCounters;

namespace {

template <std::size_t Columns>
std::map<std::uint64_t, std::array<std::uint64_t, Columns>> content(
    const SparseCounters<Columns>& counters) {
  std::map<std::uint64_t, std::array<std::uint64_t, Columns>> rows;
  counters.for_each([&](std::uint64_t key, const auto& row) {
    CHECK_MESSAGE(rows.emplace(key, row).second, "key ", key, " twice");
  });
  return rows;
}

}  // namespace

TEST_CASE("sparse counters that were never added to are empty") {
  const SparseCounters<2> counters;
  CHECK(content(counters).empty());
}

TEST_CASE("sparse counters add by key and column, the smallest and largest key included") {
  SparseCounters<2> counters;
  const std::uint64_t largest = SparseCounters<2>::kKeyLimit - 1;
  counters.add(0, {1, 10});
  counters.add(largest, {1, 20});
  counters.add(0, {2, 5});
  const auto rows = content(counters);
  REQUIRE(rows.size() == 2);
  CHECK(rows.at(0) == std::array<std::uint64_t, 2>{3, 15});
  CHECK(rows.at(largest) == std::array<std::uint64_t, 2>{1, 20});
}

TEST_CASE("sparse counters keep every sum while they grow") {
  // Steps of 128 are neighbouring receivers of one size class; 2^32 apart are collectives.
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{128}, std::uint64_t{1} << 32U}) {
    SparseCounters<1> counters;
    std::map<std::uint64_t, std::array<std::uint64_t, 1>> expected;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t key = (i * 7 % 1000) * step;
      counters.add(key, {i});
      expected[key][0] += i;
    }
    CHECK(content(counters) == expected);
  }
}

TEST_CASE("a cell adds to its key until the table grows, and never to another key's sums") {
  SparseCounters<1> counters;
  std::map<std::uint64_t, std::array<std::uint64_t, 1>> expected;
  std::vector<std::pair<std::uint64_t, SparseCounters<1>::Cell>> cells;
  for (std::uint64_t key = 0; key < 5000; ++key) {
    cells.emplace_back(key, counters.add(key, {1}));
    ++expected[key][0];
    // An old one, too: by now it may be in memory that a later table has taken.
    for (const std::size_t old : {cells.size() - 1, cells.size() / 2, std::size_t{0}})
      if (cells[old].second.add({7})) expected[cells[old].first][0] += 7;
  }
  CHECK(cells.back().second.add({7}));
  expected[cells.back().first][0] += 7;
  CHECK_FALSE(cells.front().second.add({7}));
  CHECK_FALSE(SparseCounters<1>::Cell().add({7}));
  CHECK(content(counters) == expected);
}

TEST_CASE("sparse counters can be read while their owner adds and they grow") {
  SparseCounters<1> counters;
  std::atomic<bool> done{false};
  std::thread owner([&] {
    for (std::uint64_t key = 1; key <= 20000; ++key) counters.add(key, {key});
    done = true;
  });
  bool right = true;
  while (!done)
    counters.for_each([&](std::uint64_t key, const auto& row) { right = right && row[0] == key; });
  owner.join();
  CHECK(right);
  CHECK(content(counters).size() == 20000);
}

using namespace huddle;
using namespace huddle::recorder;

namespace {

const std::string& name_of(std::uint32_t operation) {
  static const std::vector<std::string> names = {"send", "recv", "allreduce", "barrier"};
  return names.at(operation);
}

constexpr std::size_t kOperations = 4;
const Interval kRun({.ticks = 0, .nanoseconds = 0}, {.ticks = 1000, .nanoseconds = 2000});

}  // namespace

TEST_CASE("messages of several threads are merged and ordered by receiver and size class") {
  ThreadCounters first(kOperations);
  ThreadCounters second(kOperations);
  first.add_message(Traffic::kSent, Rank{7}, 100);
  first.add_message(Traffic::kSent, Rank{7}, 0);
  first.add_message(Traffic::kSent, Rank{2147483647}, 1);
  second.add_message(Traffic::kSent, Rank{7}, 127);
  second.add_message(Traffic::kSent, Rank{7}, 128);
  second.add_message(Traffic::kSent, Rank{0}, ~std::uint64_t{0});
  const auto cells = merged_messages({&first, &second}, Traffic::kSent);
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

TEST_CASE("kinds of traffic are kept apart") {
  ThreadCounters thread(kOperations);
  thread.add_message(Traffic::kPut, Rank{1}, 8);
  thread.add_message(Traffic::kFetched, Rank{2}, 8);
  CHECK(merged_messages({&thread}, Traffic::kSent).empty());
  CHECK(merged_messages({&thread}, Traffic::kSentToNeighbours).empty());
  CHECK(merged_messages({&thread}, Traffic::kPut).at(0).receiver.value == 1);
  CHECK(merged_messages({&thread}, Traffic::kFetched).at(0).receiver.value == 2);
}

TEST_CASE("a rank with 1,000 neighbours and 20 size classes each takes less than 1 MiB") {
  SparseCounters<2> counters;
  for (std::uint64_t neighbour = 0; neighbour < 1000; ++neighbour)
    for (std::uint64_t size_class = 0; size_class < 20; ++size_class)
      counters.add((neighbour * 997) << 7U | size_class, {1, 1});
  CHECK(counters.memory_bytes() < (1U << 20U));
}

TEST_CASE("collectives are counted by operation, communicator, participants and size class") {
  ThreadCounters first(kOperations);
  ThreadCounters second(kOperations);
  const CollectiveKey world{.operation = 2, .participants = 2147483647};
  const CollectiveKey derived{.operation = 2, .communicator = ~std::uint64_t{0}, .participants = 4};
  const CollectiveKey other{.operation = 2, .communicator = 17, .participants = 4};
  const CollectiveKey barrier{.operation = 3, .participants = 1};
  first.add_collective(world, 8, 100);
  second.add_collective(world, 9, 200);
  second.add_collective(world, 1000, 1);
  first.add_collective(derived, 8, 50);
  second.add_collective(other, 8, 50);
  first.add_collective(barrier, 0, 0);
  const auto entries = merged_collectives({&first, &second}, kRun, name_of);
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].operation == "allreduce");
  CHECK(entries[0].communicator == "world");
  CHECK(entries[0].communicator_id == 0);
  CHECK(entries[0].participants == 2147483647);
  CHECK(entries[0].size_class == 4);
  CHECK(entries[0].calls == 2);
  CHECK(entries[0].bytes.value == 17);
  CHECK(entries[0].time.value == doctest::Approx(600e-9));
  REQUIRE(entries[0].shortest);
  CHECK(entries[0].shortest->value == doctest::Approx(200e-9));
  CHECK(entries[1].size_class == 10);
  CHECK(entries[2].communicator == "derived");
  CHECK(entries[2].communicator_id == 17);
  CHECK(entries[3].communicator_id == ~std::uint64_t{0});
  CHECK(entries[3].participants == 4);
  CHECK(entries[4].operation == "barrier");
  CHECK(entries[4].calls == 1);
}

TEST_CASE("calls are counted all, and timed calls stand for those that were not timed") {
  ThreadCounters first(kOperations);
  ThreadCounters second(kOperations);
  first.add_call(0);
  first.add_call(0);
  first.add_timed_call(0, 10, 15, 3, false);
  second.add_timed_call(0, 10, 17, 1, true);
  second.add_timed_call(2, 20, 21, 1, true);
  CHECK(first.ticks_inside() == 15);
  CHECK(second.ticks_inside() == 8);
  const auto kinds = merged_calls({&first, &second}, kRun, name_of);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].operation == "allreduce");
  CHECK(kinds[1].operation == "send");
  CHECK(kinds[1].calls == 4);
  CHECK(kinds[1].timed == 2);
  CHECK(kinds[1].time.value == doctest::Approx(44e-9));
}

TEST_CASE("what a thread computed before its calls is known from those that follow a timed one") {
  ThreadCounters counters(kOperations);
  counters.add_timed_call(0, 100, 110, 1, true);  // nothing was timed before it
  counters.add_timed_call(1, 130, 140, 1, true);
  counters.add_timed_call(0, 145, 150, 1, true);
  counters.add_call(0);
  counters.add_timed_call(0, 900, 905, 128, false);  // others came between
  counters.add_call(3);
  const auto kinds = merged_calls({&counters}, kRun, name_of);
  REQUIRE(kinds.size() == 3);
  CHECK_FALSE(kinds[0].before);  // barrier
  CHECK(kinds[1].operation == "recv");
  CHECK(kinds[1].before->value == doctest::Approx(40e-9));
  CHECK(kinds[2].operation == "send");
  CHECK(kinds[2].before->value == doctest::Approx(4 * 10e-9));  // 5 ticks, as before one of four
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
