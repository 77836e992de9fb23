#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/forecast/program/best_configuration.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle {
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
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nothing), "", 1, 1);
  CHECK(blind.measured().size() == 4);
  CHECK(width_of(*blind.at({4000, 16}).energy_j) > 1.5);
  for (const Known known : {Known::nodes, Known::ranks_per_node}) {
    const ProgramForecast forecast =
        ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, known), "", 1, 1);
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
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nodes), "", 1, 1);
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
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nodes), "", 1, 1);
  const Configuration at{4000, 16, 1, 1, 16};
  const ForecastAt predicted = forecast.at(at);
  CHECK(predicted.beyond == std::vector<std::string>{"nodes"});
  CHECK(predicted.energy_j->low <= seconds_on_nodes(at) * watts_on_nodes(at));
  CHECK(predicted.energy_j->high >= seconds_on_nodes(at) * watts_on_nodes(at));
  CHECK(predicted.energy_j->value ==
        doctest::Approx(seconds_on_nodes(at) * watts_on_nodes(at)).epsilon(0.1));
}

TEST_CASE("the packing question is answered by rows alone") {
  const ProgramForecast forecast =
      ProgramForecast::learn(rows_on_nodes(kSizesOnNodes, Known::nodes), "", 1, 1);
  const auto least = [&](double slowdown) {
    BestOptions options;
    options.most_slowdown = slowdown;
    options.reference = reference_configuration(forecast.measured(), 3000, 16, 1, 0);
    CHECK(options.reference->nodes == 8);
    const BestConfiguration best = best_configuration(
        candidate_configurations(forecast.measured(), 3000, {}),
        [&](const Configuration& where) { return forecast.at(where); }, options);
    CHECK(best.candidates.size() == 4);
    return best.chosen()->forecast.where.nodes;
  };
  // By the laws 8 nodes take 5.65 s and 5966 J, 4 take 6.95 s and 4003 J, 2 take 9.85 s and 3310 J.
  CHECK(least(0.05) == 8);
  CHECK(least(0.30) == 4);
  CHECK(least(1.00) == 2);
}

TEST_CASE("candidates have no more nodes than processes, nor more packages than cores") {
  std::vector<Configuration> measured;
  for (const double processes : {2.0, 16.0})
    for (const double nodes : {1.0, 2.0}) measured.push_back({1000, processes, 1, 1, nodes, 2});
  for (const double nodes : {1.0, 2.0}) measured.push_back({1000, 16, 1, 1, nodes, 1});
  AskedFactors asked;
  asked.nodes = {1, 2, 8};
  for (const Configuration& where : candidate_configurations(measured, 1000, asked)) {
    CHECK(where.nodes <= where.processes);
    CHECK(where.nodes * where.packages <= where.processes);
  }
  CHECK(candidate_configurations(measured, 1000, asked).size() == 3 + 6);
  asked.processes = {1};
  asked.nodes = {8};
  CHECK_THROWS_AS(static_cast<void>(candidate_configurations(measured, 1000, asked)), ChoiceError);
}

}  // namespace
}  // namespace huddle
