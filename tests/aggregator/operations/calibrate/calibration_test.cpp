#include "aggregator/operations/calibrate/calibration.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::operations {
namespace {

TEST_CASE("what was measured takes the place of what a machine had, the rest stays") {
  Machine machine = slow_machine();
  machine.collectives = {{"bcast", "1:1:1", 2, {{{8}, {1}, Origin::kGiven}}}};
  CalibrationResults results;
  results.layout = layout_of(machine);
  results.messages = {
      {Distance::kDie, 1, {{{0}, {2}, Origin::kMeasured}, {{100}, {7}, Origin::kMeasured}}},
      {Distance::kDie, 2, {{{0}, {9}, Origin::kMeasured}, {{100}, {99}, Origin::kMeasured}}}};
  results.memory_streams = {{Distance::kDie, 1, {1e9}, Origin::kMeasured}};
  put_in(machine, results);
  CHECK(machine.messages == results.messages);
  CHECK(machine.memory_streams == results.memory_streams);
  CHECK(machine.collectives.front().times.front().origin == Origin::kGiven);
  CHECK(machine.link(Distance::kDie).latency.value == doctest::Approx(2));
  CHECK(machine.link(Distance::kDie).bandwidth.value == doctest::Approx(20));
  CHECK(machine.link(Distance::kDie).origin == Origin::kMeasured);
  CHECK(machine.link(Distance::kNetwork).latency == Seconds{4});
}

TEST_CASE("times that are no link's leave the link as it was") {
  Machine machine = slow_machine();
  CalibrationResults results;
  results.layout = layout_of(machine);
  results.messages = {{Distance::kNode, 1, {{{8}, {5}, Origin::kMeasured}}}};
  put_in(machine, results);
  CHECK(machine.link(Distance::kNode).origin == Origin::kGiven);
}

TEST_CASE("results of other nodes are refused, and make a machine of their own") {
  CalibrationResults results;
  results.layout = "2:1:3";
  CHECK(layout_of(machine_of(results)) == "2:1:3");
  Machine machine = slow_machine();
  CHECK_THROWS_AS(put_in(machine, results), UsageError);
}

}  // namespace
}  // namespace huddle::operations
