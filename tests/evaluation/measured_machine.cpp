#include "tests/evaluation/measured_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/predict/communication/time_curve.hpp"
#include "tests/evaluation/contention.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

constexpr double kMeasurementError = 0.01;
const std::vector<double> kMessageBytes = {8, 1024, 32768, 262144, 4e6};
// Bytes that a rank contributes to an allreduce, and that it has for each other one in an
// all-to-all.
const std::vector<double> kContributions = {8, 4096, 65536, 1e6};
const std::vector<double> kPartsForEach = {8, 1024, 16384, 262144};
const std::vector<std::uint32_t> kRanks = {16, 64};

// A program that does nothing but these, one after the other.
Program exchanges_only(std::string name, const std::vector<Exchange>& exchanges) {
  Program program;
  program.name = std::move(name);
  for (const Exchange& exchange : exchanges) program.steps.push_back({{}, exchange});
  program.iterations = kSimulatedIterations;
  return program;
}

// The seconds of each step, the mean over the ranks.
std::vector<double> seconds_of_steps(const Cluster& cluster, const Program& program,
                                     const Placement& placement, const RunStore& runs) {
  // Without computation it does not matter how ranks contend for memory: such clusters share runs.
  Cluster any = cluster;
  any.contention = Contention::kOverlap;
  const Run run = runs.run(any, program, placement);
  std::vector<double> seconds(program.steps.size(), 0);
  for (const RankTimes& rank : run)
    for (std::size_t step = 0; step < seconds.size(); ++step)
      seconds[step] +=
          rank.exchanging[step] / kSimulatedIterations / static_cast<double>(run.size());
  return seconds;
}

// Cores of a node by number: those of the first die first.
Place place_of(std::uint32_t node, std::uint32_t core, const NodeHardware& hardware) {
  const std::uint32_t die = core / hardware.cores_per_die;
  return {node, die / hardware.dies_per_package, die % hardware.dies_per_package, {}};
}

// All pairs of ranks at that distance that have cores of their own, neighbours first: ranks 0 and 1
// are one, ranks 2 and 3 the next. Empty if the node has none.
Placement pairs_at(Distance distance, const NodeHardware& hardware) {
  const std::uint32_t cores =
      hardware.packages * hardware.dies_per_package * hardware.cores_per_die;
  const std::uint32_t apart[] = {1, hardware.cores_per_die,
                                 hardware.cores_per_die * hardware.dies_per_package, cores};
  const auto index = static_cast<std::size_t>(distance);
  const std::uint32_t step = apart[index];
  const std::uint32_t inside = index + 1 < kDistances ? apart[index + 1] : 2 * cores;
  Placement placement;
  const std::uint32_t all = distance == Distance::kNetwork ? 2 * cores : cores;
  // Blocks of `step` cores, two by two; both must lie inside the same larger block.
  for (std::uint32_t first = 0; first + step < all; ++first) {
    const bool is_first_of_two = first % inside / step % 2 == 0;
    const std::uint32_t second = first + step;
    if (!is_first_of_two || second / inside != first / inside) continue;
    for (const std::uint32_t core : {first, second})
      placement.push_back(place_of(core / cores, core % cores, hardware));
  }
  return placement;
}

std::vector<std::uint32_t> powers_of_two_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> powers;
  for (std::uint32_t power = 1; power <= most; power *= 2) powers.push_back(power);
  return powers;
}

void measure_messages(Machine& machine, const Cluster& cluster, const RunStore& runs,
                      Noise& noise) {
  std::vector<Exchange> exchanges;
  for (const double bytes : kMessageBytes) exchanges.push_back({Shape::kPairs, bytes, 0, 1});
  const Program program = exchanges_only("ping-pong", exchanges);
  for (std::size_t index = 0; index < kDistances; ++index) {
    const auto distance = static_cast<Distance>(index);
    const Placement all = pairs_at(distance, cluster.node);
    for (const std::uint32_t pairs :
         powers_of_two_up_to(static_cast<std::uint32_t>(all.size() / 2))) {
      const Placement placement(all.begin(), all.begin() + 2 * static_cast<std::ptrdiff_t>(pairs));
      const std::vector<double> seconds = seconds_of_steps(cluster, program, placement, runs);
      MessageTimes entry{distance, pairs, {}};
      for (std::size_t size = 0; size < kMessageBytes.size(); ++size)
        entry.times.push_back({{static_cast<std::uint64_t>(kMessageBytes[size])},
                               {seconds[size] * noise.factor(kMeasurementError)},
                               Origin::kMeasured});
      if (pairs == 1)
        machine.links[index] = predict::fitted_link(entry.times).value_or(machine.links[index]);
      machine.messages.push_back(std::move(entry));
    }
  }
}

void measure_collectives_on(const predict::Pattern& pattern, std::uint32_t ranks, Machine& machine,
                            const Cluster& cluster, const RunStore& runs, Noise& noise) {
  std::vector<Exchange> exchanges;
  for (const double bytes : kContributions) exchanges.push_back({Shape::kAllreduce, bytes, 0, 1});
  for (const double bytes : kPartsForEach) exchanges.push_back({Shape::kAllToAll, bytes, 0, 1});
  const Placement placement = in_rank_order(pattern, cluster.places(), ranks);
  const std::vector<double> seconds =
      seconds_of_steps(cluster, exchanges_only("collectives", exchanges), placement, runs);
  CollectiveTimes reduced{"allreduce", pattern.name(), ranks, {}};
  CollectiveTimes exchanged{"alltoall", pattern.name(), ranks, {}};
  for (std::size_t step = 0; step < exchanges.size(); ++step) {
    const bool with_everyone = exchanges[step].shape == Shape::kAllToAll;
    const double contribution = exchanges[step].bytes * (with_everyone ? ranks : 1);
    (with_everyone ? exchanged : reduced)
        .times.push_back({{static_cast<std::uint64_t>(contribution)},
                          {seconds[step] * noise.factor(kMeasurementError)},
                          Origin::kMeasured});
  }
  machine.collectives.push_back(std::move(reduced));
  machine.collectives.push_back(std::move(exchanged));
}

void measure_collectives(Machine& machine, const Cluster& cluster, const RunStore& runs,
                         Noise& noise) {
  for (const predict::Pattern& pattern :
       huddle::predict::patterns_of(commgraph::load_topology(machine.topology))) {
    const std::uint32_t of_node = pattern.ranks_per_node();
    // Numbers of ranks are powers of two in the simulator.
    if ((of_node & (of_node - 1)) != 0) continue;
    if (of_node > 1) measure_collectives_on(pattern, of_node, machine, cluster, runs, noise);
    for (const std::uint32_t ranks : kRanks)
      if (ranks > of_node && pattern.nodes_for(ranks) <= cluster.nodes)
        measure_collectives_on(pattern, ranks, machine, cluster, runs, noise);
  }
}

// Two arrays read and one written, each larger than the caches, with prefetching.
constexpr Computation kTriad = {.instructions = 10e6,
                                .base_cpi = 0.5,
                                .references = 0.04,
                                .least_misses = 1,
                                .most_misses = 1,
                                .footprint_bytes = 1e9,
                                .bytes_per_miss = 96,
                                .parallelism = 12};

// 1, 2, 4 ... ranks in one die, one on each die of a package, and so on of a node: as many as there
// are cores.
void measure_streams(Machine& machine, const Cluster& cluster, Noise& noise) {
  const NodeHardware& node = cluster.node;
  const std::uint32_t of_package = node.dies_per_package * node.cores_per_die;
  const auto add = [&](Distance within, std::uint32_t ranks, std::uint32_t packages,
                       std::uint32_t dies) {
    const std::uint32_t in_package = (ranks - 1) / packages + 1;
    const Sharers sharers{(in_package - 1) / dies + 1, in_package, ranks};
    const Pace pace = pace_of(kTriad, cluster, sharers);
    machine.memory_streams.push_back(
        {within,
         ranks,
         {ranks * pace.memory_bytes / pace.seconds * noise.factor(kMeasurementError)},
         Origin::kMeasured});
  };
  for (const std::uint32_t ranks : powers_of_two_up_to(node.cores_per_die))
    add(Distance::kDie, ranks, 1, 1);
  if (node.dies_per_package > 1)
    for (const std::uint32_t ranks : powers_of_two_up_to(of_package))
      add(Distance::kPackage, ranks, 1, node.dies_per_package);
  if (node.packages > 1)
    for (const std::uint32_t ranks : powers_of_two_up_to(node.packages * of_package))
      add(Distance::kNode, ranks, node.packages, node.dies_per_package);
}

}  // namespace

Machine measured_machine(const Cluster& cluster, const RunStore& runs) {
  Machine machine;
  machine.name = cluster.name;
  machine.topology = cluster.topology();
  machine.node_memory = {static_cast<std::uint64_t>(cluster.node.memory_bytes)};
  machine.nodes = cluster.nodes;
  Noise noise(seed_of(cluster.name));
  const auto measured = [&](double watts) {
    return Watts{watts * noise.factor(kMeasurementError)};
  };
  huddle::PowerFigures power;
  power.idle_node = measured(cluster.power.node_w);
  power.package = measured(cluster.power.active_package_w);
  power.die = measured(cluster.power.active_die_w);
  power.core = measured(cluster.power.active_core_w);
  power.origin = Origin::kMeasured;
  machine.power = power;
  measure_messages(machine, cluster, runs, noise);
  measure_collectives(machine, cluster, runs, noise);
  measure_streams(machine, cluster, noise);
  return machine;
}

}  // namespace huddle::evaluation
