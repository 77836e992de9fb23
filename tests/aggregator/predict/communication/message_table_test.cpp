#include "aggregator/predict/communication/message_table.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

MessageTimes row(Distance distance, std::uint32_t pairs,
                 const std::vector<std::pair<std::uint64_t, double>>& times) {
  MessageTimes entry{distance, pairs, {}};
  for (const auto& [bytes, seconds] : times)
    entry.times.push_back({{bytes}, {seconds}, Origin::kMeasured});
  return entry;
}

// Over the network 8 and 128 bytes take 4 and 16 s alone, and 8 and 64 s among 4 pairs.
MessageTable table() {
  Machine machine = slow_machine();
  machine.messages = {row(Distance::kNetwork, 1, {{8, 4}, {128, 16}}),
                      row(Distance::kNetwork, 4, {{8, 8}, {128, 64}})};
  return MessageTable(machine);
}

TEST_CASE("a number of pairs that is in the table takes the table's times") {
  CHECK(table().curve(Distance::kNetwork, 1).seconds(32) == doctest::Approx(8));
  CHECK(table().curve(Distance::kNetwork, 4).seconds(128) == doctest::Approx(64));
  CHECK(table().has(Distance::kNetwork));
  CHECK(!table().has(Distance::kDie));
}

TEST_CASE("between two numbers of pairs times stay in proportion") {
  const TimeCurve two = table().curve(Distance::kNetwork, 2);
  CHECK(two.seconds(8) == doctest::Approx(4 * std::sqrt(2.0)));
  CHECK(two.seconds(128) == doctest::Approx(32));
}

TEST_CASE("beyond the most pairs times grow as before, but never faster than the pairs") {
  const TimeCurve eight = table().curve(Distance::kNetwork, 8);
  CHECK(eight.seconds(8) == doctest::Approx(8 * std::sqrt(2.0)));
  CHECK(eight.seconds(128) == doctest::Approx(128));
  Machine machine = slow_machine();
  machine.messages = {row(Distance::kDie, 1, {{8, 1}, {16, 5}}),
                      row(Distance::kDie, 2, {{8, 100}, {16, 4}})};
  const TimeCurve four = MessageTable(machine).curve(Distance::kDie, 4);
  CHECK(four.seconds(8) == doctest::Approx(200));
  CHECK(four.seconds(16) == doctest::Approx(4));
}

TEST_CASE("with fewer pairs than the table's fewest, or one row, times stay") {
  Machine machine = slow_machine();
  machine.messages = {row(Distance::kDie, 2, {{8, 3}, {16, 5}})};
  const MessageTable one_row(machine);
  CHECK(one_row.curve(Distance::kDie, 1).seconds(8) == doctest::Approx(3));
  CHECK(one_row.curve(Distance::kDie, 64).seconds(8) == doctest::Approx(3));
}

TEST_CASE("rows of different sizes are put together") {
  Machine machine = slow_machine();
  machine.messages = {row(Distance::kDie, 1, {{8, 1}, {128, 4}}),
                      row(Distance::kDie, 4, {{8, 4}, {32, 16}, {128, 64}})};
  const TimeCurve two = MessageTable(machine).curve(Distance::kDie, 2);
  CHECK(two.seconds(32) == doctest::Approx(std::sqrt(2.0 * 16)));
}

TEST_CASE("links that are only assumed come from the times of pairs alone") {
  Machine machine;
  machine.messages = {row(Distance::kDie, 1, {{0, 2}, {100, 12}}),
                      row(Distance::kDie, 2, {{0, 9}, {100, 99}})};
  const MessageTable fitted(machine);
  CHECK(fitted.link(Distance::kDie).latency.value == doctest::Approx(2));
  CHECK(fitted.link(Distance::kDie).bandwidth.value == doctest::Approx(10));
  CHECK(fitted.link(Distance::kNetwork).latency == machine.link(Distance::kNetwork).latency);
  CHECK(table().link(Distance::kNetwork).latency == Seconds{4});
}

TEST_CASE("the network between two nodes carries what several pairs get from it together") {
  Machine machine = slow_machine();  // 1 byte/s
  machine.messages = {row(Distance::kNetwork, 1, {{0, 1}, {100, 51}}),
                      row(Distance::kNetwork, 4, {{0, 1}, {100, 81}})};
  CHECK(MessageTable(machine).bandwidth_between_nodes().value == doctest::Approx(4 * 100 / 80.0));
  CHECK(MessageTable(slow_machine()).bandwidth_between_nodes().value == 1);
}

}  // namespace
}  // namespace huddle::predict
