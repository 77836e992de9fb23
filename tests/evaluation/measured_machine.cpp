#include "tests/evaluation/measured_machine.hpp"

#include <fmt/format.h>

#include <optional>

#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

constexpr double kSmallBytes = 8;
constexpr double kLargeBytes = 4e6;
constexpr double kMeasurementError = 0.01;

// Two ranks exchange a message, both ways at once, without computing.
Program ping_pong(double bytes) {
  Program program;
  program.name = "ping-pong";
  program.steps = {{{}, {Shape::kButterfly, bytes, 0, 1}}};
  program.iterations = kSimulatedIterations;
  return program;
}

// The patterns with two ranks a node, or one, whose ranks are that far apart; nothing if the node
// has no such.
std::optional<Pattern> pattern_at(Distance distance, const NodeHardware& node) {
  switch (distance) {
    case Distance::kDie:
      return node.cores_per_die > 1 ? std::optional(Pattern{1, 1, 2}) : std::nullopt;
    case Distance::kPackage:
      return node.dies_per_package > 1 ? std::optional(Pattern{1, 2, 1}) : std::nullopt;
    case Distance::kNode:
      return node.packages > 1 ? std::optional(Pattern{2, 1, 1}) : std::nullopt;
    case Distance::kNetwork:
      break;
  }
  return Pattern{1, 1, 1};
}

double seconds_for(double bytes, const Cluster& cluster, const Placement& placement,
                   const RunStore& runs) {
  const Run run = runs.run(cluster, ping_pong(bytes), placement);
  return run.front().exchanging.front() / kSimulatedIterations;
}

}  // namespace

Machine measured_machine(const Cluster& cluster, const RunStore& runs) {
  Machine machine;
  machine.name = cluster.name;
  machine.topology = cluster.topology();
  machine.node_memory = {static_cast<std::uint64_t>(cluster.node.memory_bytes)};
  machine.nodes = cluster.nodes;
  const NodeTopology node = load_topology(machine.topology);
  Noise noise(seed_of(cluster.name));
  for (std::size_t index = 0; index < kDistances; ++index) {
    const std::optional<Pattern> pattern = pattern_at(static_cast<Distance>(index), cluster.node);
    if (!pattern) continue;
    const Placement placement = in_rank_order(*pattern, node, 2);
    const double small = seconds_for(kSmallBytes, cluster, placement, runs);
    const double large = seconds_for(kLargeBytes, cluster, placement, runs);
    LinkTime& link = machine.links[index];
    link.latency = {small * noise.factor(kMeasurementError)};
    link.bandwidth = {(kLargeBytes - kSmallBytes) / (large - small) *
                      noise.factor(kMeasurementError)};
    link.origin = Origin::kMeasured;
  }
  return machine;
}

}  // namespace huddle::evaluation
