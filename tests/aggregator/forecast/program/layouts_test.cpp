#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/forecast/program/program_forecast.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::forecast {
namespace {

// 16 ranks that share the memory of their nodes and send messages between these.
double seconds_on_nodes(const Configuration& at) {
  const double size = at.size / 1000;
  return size * (20 / at.processes + 4 / at.nodes) + 0.05 * at.nodes;
}

double watts_on_nodes(const Configuration& at) {
  return 120 * at.nodes + 6 * at.processes;
}

enum class Known { nodes, ranks_per_node, nothing };

// Rows of 16 ranks on 1, 2, 4 and 8 nodes, three runs each.
MeasurementTable rows_on_nodes(const std::vector<double>& sizes, Known known) {
  evaluation::Noise lot(7, 1);
  MeasurementTable table;
  table.regions = {""};
  table.columns = {{ColumnRole::size, "size", "", {}},
                   {ColumnRole::processes, "processes", "", {}},
                   {ColumnRole::time, "time", "s", {}},
                   {ColumnRole::energy, "energy", "J", {}}};
  if (known == Known::nodes) table.columns.push_back({ColumnRole::nodes, "nodes", "", {}});
  if (known == Known::ranks_per_node)
    table.columns.push_back({ColumnRole::ranks_per_node, "ppn", "", {}});
  for (const double size : sizes)
    for (const double nodes : {1.0, 2.0, 4.0, 8.0})
      for (int run = 0; run < 3; ++run) {
        const Configuration at{size, 16, 1, 1, nodes};
        const double time = seconds_on_nodes(at) * std::exp(0.01 * lot.normal());
        std::vector<double> row = {size, 16, time, time * watts_on_nodes(at)};
        if (known == Known::nodes) row.push_back(nodes);
        if (known == Known::ranks_per_node) row.push_back(16 / nodes);
        table.region.push_back(0);
        for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].values.push_back(row[i]);
      }
  return table;
}

const std::vector<double> kSizesOnNodes = {1000, 2000, 4000, 8000};

double width_of(const Estimate& estimate) {
  return estimate.high / estimate.low;
}

TEST_CASE("runs of as many ranks on other nodes are other configurations") {
  const ProgramForecast blind =
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nothing));
  CHECK(blind.measured().size() == 4);
  CHECK(width_of(*blind.at({4000, 16}).energy_j) > 1.5);
  for (const Known known : {Known::nodes, Known::ranks_per_node}) {
    const ProgramForecast forecast = ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, known));
    CHECK(forecast.measured().size() == 16);
    for (const double nodes : {1.0, 2.0, 4.0, 8.0}) {
      INFO(nodes);
      const Configuration at{4000, 16, 1, 1, nodes};
      const ForecastAt predicted = forecast.at(at);
      CHECK(predicted.energy_j->value ==
            doctest::Approx(seconds_on_nodes(at) * watts_on_nodes(at)).epsilon(0.03));
      CHECK(width_of(*predicted.energy_j) < 1.15);
      CHECK(predicted.measured_rows == 3);
    }
  }
}

TEST_CASE("time and energy of other sizes are predicted for each number of nodes") {
  const ProgramForecast forecast =
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nodes));
  for (const double size : {3000.0, 16000.0})
    for (const double nodes : {1.0, 2.0, 4.0, 8.0}) {
      INFO(size);
      INFO(nodes);
      const Configuration at{size, 16, 1, 1, nodes};
      const ForecastAt predicted = forecast.at(at);
      CHECK(predicted.time_s->value == doctest::Approx(seconds_on_nodes(at)).epsilon(0.05));
      CHECK(predicted.energy_j->value ==
            doctest::Approx(seconds_on_nodes(at) * watts_on_nodes(at)).epsilon(0.08));
      CHECK(width_of(*predicted.energy_j) < 1.6);
    }
}

TEST_CASE("rows of other nodes show the idle power of those that were not measured") {
  const ProgramForecast forecast =
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nodes));
  const Configuration at{4000, 16, 1, 1, 16};
  const ForecastAt predicted = forecast.at(at);
  CHECK(predicted.beyond == std::vector<std::string>{"nodes"});
  CHECK(predicted.energy_j->low <= seconds_on_nodes(at) * watts_on_nodes(at));
  CHECK(predicted.energy_j->high >= seconds_on_nodes(at) * watts_on_nodes(at));
  CHECK(predicted.energy_j->value ==
        doctest::Approx(seconds_on_nodes(at) * watts_on_nodes(at)).epsilon(0.1));
}

}  // namespace
}  // namespace huddle::forecast
