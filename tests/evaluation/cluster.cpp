#include "tests/evaluation/cluster.hpp"

#include <fmt/format.h>

#include <span>

#include "commgraph/topology/smt_node.hpp"

namespace huddle::evaluation {
namespace {

Cluster front_side_bus() {
  Cluster cluster;
  cluster.name = "front-side-bus";
  cluster.trained_on = cluster.name;
  cluster.node = {.packages = 2,
                  .dies_per_package = 2,
                  .cores_per_die = 2,
                  .clock_hz = 2.8e9,
                  .memory_bytes = 8e9,
                  .cache_bytes = 6e6,
                  .cache_latency_s = 5e-9,
                  .memory_latency_s = 100e-9,
                  .cache_bandwidth = 25e9,
                  .package_bandwidth = 8e9,
                  .node_bandwidth = 13e9};
  cluster.net = {.core = {0.25e-6, 2.5e9},
                 .die = {0.10e-6, 2.2e9},
                 .package = {0.15e-6, 3e9},
                 .nic = {0.6e-6, 3e9},
                 .bytes_per_message = 600,
                 .overhead_s = 0.6e-6};
  cluster.power = {.node_w = 160,
                   .active_package_w = 18,
                   .active_die_w = 8,
                   .active_core_w = 11,
                   .memory_j_per_byte = 0.9e-9};
  return cluster;
}

// As the paper's own machine: the two cores of a die share a cache and its one path to memory.
Cluster shared_path() {
  Cluster cluster = front_side_bus();
  cluster.name = "shared-path";
  cluster.trained_on = cluster.name;
  cluster.node.die_bandwidth = 5.2e9;
  return cluster;
}

Cluster chiplets() {
  Cluster cluster;
  cluster.name = "chiplets";
  cluster.trained_on = cluster.name;
  cluster.node = {.packages = 2,
                  .dies_per_package = 4,
                  .cores_per_die = 4,
                  .clock_hz = 2.5e9,
                  .memory_bytes = 64e9,
                  .cache_bytes = 16e6,
                  .cache_latency_s = 16e-9,
                  .memory_latency_s = 105e-9,
                  .cache_bandwidth = 90e9,
                  .package_bandwidth = 45e9,
                  .node_bandwidth = 85e9};
  cluster.net = {.core = {0.12e-6, 9e9},
                 .die = {0.06e-6, 16e9},
                 .package = {0.12e-6, 22e9},
                 .nic = {0.45e-6, 12e9},
                 .bytes_per_message = 900,
                 .overhead_s = 0.3e-6};
  cluster.power = {.node_w = 190,
                   .active_package_w = 45,
                   .active_die_w = 9,
                   .active_core_w = 4,
                   .memory_j_per_byte = 0.4e-9};
  return cluster;
}

// The same parts, one package only.
Cluster one_package() {
  Cluster cluster = chiplets();
  cluster.name = "one-package";
  cluster.node.packages = 1;
  cluster.node.memory_bytes /= 2;
  cluster.node.node_bandwidth = cluster.node.package_bandwidth;
  cluster.power.node_w = 130;
  return cluster;
}

// The same dies, each four cores of a NUMA node that has half of its package's memory.
Cluster quadrants() {
  Cluster cluster = chiplets();
  cluster.name = "quadrants";
  cluster.trained_on = cluster.name;
  cluster.node.numa_per_package = 2;
  return cluster;
}

// Two ranks on a core.
Cluster threads() {
  Cluster cluster = front_side_bus();
  cluster.name = "threads";
  cluster.trained_on = cluster.name;
  cluster.node.pus_per_core = 2;
  return cluster;
}

std::vector<Cluster> every_hardware_under(std::span<const Contention> contentions) {
  std::vector<Cluster> clusters;
  for (const Cluster& hardware : {front_side_bus(), shared_path(), chiplets(), one_package()}) {
    for (const Contention contention : contentions) {
      clusters.push_back(hardware);
      clusters.back().contention = contention;
    }
  }
  return clusters;
}

}  // namespace

std::string_view name_of(Contention contention) {
  switch (contention) {
    case Contention::kOverlap:
      return "overlap";
    case Contention::kSerial:
      return "serial";
    case Contention::kQueueing:
      return "queueing";
    case Contention::kRows:
      return "rows";
    case Contention::kTurbo:
      return "turbo";
    case Contention::kStack:
      return "stack";
    case Contention::kFar:
      return "far";
    case Contention::kNoisy:
      break;
  }
  return "noisy";
}

std::string Cluster::shape() const {
  if (node.numa_per_package > 0)
    return fmt::format("{}x{}x{}x{}", node.packages, node.numa_per_package,
                       node.dies_per_package / node.numa_per_package, node.cores_per_die);
  if (node.pus_per_core > 1)
    return fmt::format("{}x{}x{}, {} PUs each", node.packages, node.dies_per_package,
                       node.cores_per_die, node.pus_per_core);
  return fmt::format("{}x{}x{}", node.packages, node.dies_per_package, node.cores_per_die);
}

std::string Cluster::topology() const {
  if (node.numa_per_package > 0)
    return fmt::format("package:{} numa:{} l3:{} core:{} pu:{}", node.packages,
                       node.numa_per_package, node.dies_per_package / node.numa_per_package,
                       node.cores_per_die, node.pus_per_core);
  return fmt::format("package:{} die:{} core:{} pu:{}", node.packages, node.dies_per_package,
                     node.cores_per_die, node.pus_per_core);
}

commgraph::NodeTopology Cluster::places() const {
  return commgraph::pus_of_node(commgraph::load_topology(topology()));
}

std::vector<Cluster> all_clusters() {
  std::vector<Cluster> clusters = every_hardware_under(kContentions);
  for (Cluster deeper : {quadrants(), threads()}) {
    deeper.contention = Contention::kQueueing;
    clusters.push_back(std::move(deeper));
  }
  return clusters;
}

std::vector<Cluster> other_clusters() {
  return every_hardware_under(kOtherContentions);
}

}  // namespace huddle::evaluation
