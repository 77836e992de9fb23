#include "aggregator/forecast/machine_layout.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/forecast/program/best_configuration.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/program_runs.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Two packages of 8 cores, without second threads.
Machine two_sockets(Origin origin) {
  Machine machine;
  machine.name = "twins";
  machine.topology = "package:2 core:8 pu:1";
  machine.nodes = 4;
  machine.power = PowerFigures{{100}, {5}, {40}, {0}, {4}, origin};
  return machine;
}

// Time falls as 10 + 90 / threads; each thread draws 4 W beside the node and its packages.
double seconds_of_threads(double threads) {
  return 10 + 90 / threads;
}

double watts_of_threads(double threads) {
  return 100 + (threads > 8 ? 80 : 40) + 4 * threads;
}

MeasurementTable rows_of_threads(const std::vector<double>& threads, double scale = 1) {
  MeasurementTable table;
  table.regions = {""};
  table.columns = {{ColumnRole::threads, "threads", "", {}},
                   {ColumnRole::time, "time", "s", {}},
                   {ColumnRole::energy, "energy", "J", {}}};
  for (const double count : threads) {
    table.region.push_back(0);
    table.columns[0].values.push_back(count);
    table.columns[1].values.push_back(seconds_of_threads(count));
    table.columns[2].values.push_back(scale * seconds_of_threads(count) * watts_of_threads(count));
  }
  return table;
}

ProgramForecast learnt(const MeasurementTable& rows, const std::optional<MachineLayout>& machine) {
  return ProgramForecast::learn(rows, outermost_regions(rows), 1, 1, machine);
}

TEST_CASE("a machine says how many packages threads need, and what has no place") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  CHECK(machine.packages_for({1, 1, 8}) == 1);
  CHECK(machine.packages_for({1, 1, 9}) == 2);
  CHECK(machine.packages_for({1, 3, 4, 1, 2}) == 1);
  CHECK(machine.has_cores_for({1, 16, 1}, false));
  CHECK_FALSE(machine.has_cores_for({1, 17, 1}, false));
  CHECK(machine.why_impossible({1, 16, 1}, false).empty());
  CHECK(machine.why_impossible({1, 17, 1}, false) ==
        "17 processes x 1 threads on 1 node: a node of twins has 16 hardware threads");
  CHECK(machine.why_impossible({1, 16, 1, 1, 5}, false) == "5 nodes: twins has 4");
  CHECK(machine.why_impossible({1, 16, 1, 1, 1, 3}, true) ==
        "3 packages of each node: those of twins have 2");
  // On one package that a configuration counts there is no place for threads of two.
  CHECK_FALSE(machine.has_cores_for({1, 16, 1}, true));
  CHECK(
      machine.why_impossible({1, 16, 1}, true) ==
      "16 processes x 1 threads on 1 node: with 1 of its packages, a node of twins has 8 hardware "
      "threads");
}

TEST_CASE("idle power that somebody assumed is not used") {
  CHECK(machine_layout(two_sockets(Origin::kMeasured)).idle->node == 100);
  CHECK_FALSE(machine_layout(two_sockets(Origin::kAssumed)).idle.has_value());
}

TEST_CASE("packages become a column where rows use one and two of them and do not say so") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  MeasurementTable rows = rows_of_threads({1, 8, 9, 16});
  CHECK(add_packages(rows, machine));
  CHECK(rows.find(ColumnRole::packages)->values == std::vector<double>{1, 1, 2, 2});
  CHECK_FALSE(add_packages(rows, machine));
  MeasurementTable one_socket = rows_of_threads({1, 2, 8});
  CHECK_FALSE(add_packages(one_socket, machine));
  CHECK(one_socket.find(ColumnRole::packages) == nullptr);
}

TEST_CASE("rows that can't have run on the machine are an error that says what to do") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  MeasurementTable rows = rows_of_threads({1, 32});
  CHECK_THROWS_WITH_AS(add_packages(rows, machine),
                       doctest::Contains("with a column of nodes (or ranks_per_node)"), Error);
}

TEST_CASE("the step of a second package is known from the machine") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  const MeasurementTable rows = rows_of_threads({1, 2, 3, 4, 5, 6, 7, 8});
  const double truth = seconds_of_threads(12) * watts_of_threads(12);
  const Configuration where{1, 1, 12};
  const Estimate blind = *learnt(rows, {}).at(where).energy_j;
  const ForecastAt seen = learnt(rows, machine).at(where);
  CHECK(seen.energy_model == "scaling laws of time and power above idle");
  CHECK(seen.energy_j->value == doctest::Approx(truth).epsilon(0.02));
  CHECK(std::abs(blind.value / truth - 1) > 0.1);
}

TEST_CASE("within a measured package no other one can make the program faster") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  const MeasurementTable rows = rows_of_threads({1, 2, 3, 4, 5});
  const Configuration where{1, 1, 8};
  const Estimate blind = *learnt(rows, {}).at(where).time_s;
  const Estimate seen = *learnt(rows, machine).at(where).time_s;
  CHECK(seen.low > blind.low);
  CHECK(seen.low <= seconds_of_threads(8));
  CHECK(seen.high == blind.high);
}

TEST_CASE("where runs draw less than idle nodes, idle power is not used, and a remark says so") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  const MeasurementTable rows = rows_of_threads({1, 2, 3, 4, 5, 6, 7, 8}, 0.5);
  const ProgramForecast forecast = learnt(rows, machine);
  REQUIRE(forecast.remarks().size() == 1);
  CHECK(forecast.remarks()[0].starts_with("runs draw less than the machine's idle nodes"));
  const Configuration where{1, 1, 12};
  CHECK(forecast.at(where).energy_j->value == learnt(rows, {}).at(where).energy_j->value);
}

TEST_CASE("candidates without a place on the machine are not considered") {
  const MachineLayout machine = machine_layout(two_sockets(Origin::kGiven));
  const std::vector<Configuration> some = possible_on(
      machine, {{1, 16, 1, 1, 1, 1}, {1, 16, 1, 1, 1, 2}, {1, 16, 1, 1, 2, 1}, {1, 32, 1}},
      PackagesUsed::fewest);
  CHECK(some == std::vector<Configuration>{{1, 16, 1, 1, 1, 2}, {1, 16, 1, 1, 2, 1}});
  CHECK_THROWS_WITH_AS(static_cast<void>(possible_on(machine, {{1, 32, 1}}, PackagesUsed::fewest)),
                       doctest::Contains("16 hardware threads"), ChoiceError);
  const std::vector<Configuration> counted =
      possible_on(machine, {{1, 16, 1, 1, 1, 1}, {1, 16, 1, 1, 1, 2}}, PackagesUsed::counted);
  CHECK(counted == std::vector<Configuration>{{1, 16, 1, 1, 1, 2}});
}

}  // namespace
}  // namespace huddle
