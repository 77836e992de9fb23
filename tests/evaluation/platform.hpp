#pragma once

#include <cstdint>
#include <set>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "tests/evaluation/cluster.hpp"
#include "tests/evaluation/placement.hpp"

namespace huddle::evaluation {

/// The used part of a cluster as SimGrid's hosts and links.
struct Platform {
  /// The core of each rank, by rank.
  std::vector<simgrid::s4u::Host*> core_of;
  /// Behind all nodes' adapters, with nothing to slow it down: the other end of flows that stand
  /// for messages to many nodes.
  simgrid::s4u::Host* hub = nullptr;
};

/// Sender and receiver.
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// Cores, dies, packages and nodes, each with a link outwards and one inwards. A message passes
/// those that its two ranks don't share. Only `pairs` of ranks have a way to one another, and every
/// rank one to the hub and back. Seals the engine's root.
Platform platform_of(const Cluster& cluster, const Placement& placement, const Pairs& pairs);

}  // namespace huddle::evaluation
