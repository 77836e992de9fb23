#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commgraph/topology/node_topology.hpp"

namespace huddle::evaluation {

/// The way in which a rank's computation and its memory accesses add up, and what others on the
/// same memory do to it. None is the truth of all hardware, so the evaluation asks for all.
enum class Contention : std::uint8_t {
  kOverlap,   ///< roofline: the longest of computing, latency and bandwidth
  kSerial,    ///< computing, then the longer of latency and bandwidth
  kQueueing,  ///< computing, then latency that grows with the memory's utilisation
  kRows,      ///< as serial; the more ranks use a memory, the more often it closes their open rows
  kTurbo,     ///< as serial; the more cores of a package compute, the lower is their clock
  kStack,     ///< as serial; what is used again is in the shared cache or not: misses jump
  kFar,       ///< as serial; every second die of a package is farther from its memory
  kNoisy,     ///< as serial; one node of eight is slowed down by what else runs on it
};
inline constexpr Contention kContentions[] = {Contention::kOverlap, Contention::kSerial,
                                              Contention::kQueueing};
/// Kinds other than those that the model of contention is made of.
inline constexpr Contention kOtherContentions[] = {Contention::kRows, Contention::kTurbo,
                                                   Contention::kStack, Contention::kFar,
                                                   Contention::kNoisy};

/// "overlap", "serial", "queueing", "rows", "turbo", "stack", "far" or "noisy".
std::string_view name_of(Contention contention);

struct NodeHardware {
  std::uint32_t packages = 0;
  std::uint32_t dies_per_package = 0;
  std::uint32_t cores_per_die = 0;
  double clock_hz = 0;
  double memory_bytes = 0;
  /// The size of the cache that the cores of a die share.
  double cache_bytes = 0;
  double cache_latency_s = 0;
  double memory_latency_s = 0;
  /// The most that the shared cache, the package's memory and the node's memory deliver, in
  /// bytes/s.
  double cache_bandwidth = 0;
  double package_bandwidth = 0;
  double node_bandwidth = 0;
  /// The bandwidth of a die's own path to memory; 0 if it delivers as much as its cores can ask
  /// for.
  double die_bandwidth = 0;
  /// NUMA nodes of a package, each with as many dies and as much of the package's memory as any
  /// other; 0 if they do not part it.
  std::uint32_t numa_per_package = 0;
  /// Ranks that a core takes at once.
  std::uint32_t pus_per_core = 1;

  [[nodiscard]] std::uint32_t cores() const { return packages * dies_per_package * cores_per_die; }
};

/// A part of a message's way; shared by all that pass it in the same direction.
struct Hop {
  double latency_s = 0;
  double bandwidth = 0;
};

/// A message passes the hops of its sender outwards up to the innermost level that both share, and
/// the receiver's inwards.
struct Interconnect {
  Hop core;
  Hop die;
  Hop package;
  Hop nic;
  /// The cost of each message at the largest rate that a network adapter injects, as bytes on its
  /// link.
  double bytes_per_message = 0;
  /// A rank's own time for each partner of an all-to-all.
  double overhead_s = 0;
};

/// A node that is not used is off. Memory costs energy for each byte that it moves.
struct PowerFigures {
  double node_w = 0;
  double active_package_w = 0;
  double active_die_w = 0;
  double active_core_w = 0;
  double memory_j_per_byte = 0;
};

struct Cluster {
  /// The name of the hardware: clusters that differ in contention only have the same.
  std::string name;
  Contention contention = Contention::kOverlap;
  std::uint32_t nodes = 1024;
  NodeHardware node;
  Interconnect net;
  PowerFigures power;
  /// The cluster, of the same contention, whose model a recommendation takes: this one if training
  /// programs run on it.
  std::string trained_on;

  [[nodiscard]] bool has_training() const { return trained_on == name; }
  /// "2x2x2": packages, dies, cores; "2x2x2x4" with NUMA nodes, "2x2x2, 2 PUs each".
  [[nodiscard]] std::string shape() const;
  /// hwloc's synthetic form.
  [[nodiscard]] std::string topology() const;
  /// The node as ranks see it, each of its PUs one place.
  [[nodiscard]] commgraph::NodeTopology places() const;
};

/// Every hardware under every assumption of contention: 2 x 2 x 2, like the nodes of the task
/// aggregation paper; the same with a narrow path from each die to memory; 2 x 4 x 4; and 1 x 4 x
/// 4, which no training program runs on. Deeper nodes under one of them: 2 x 2 x 2 x 4 with NUMA
/// nodes, and 2 x 2 x 2 cores of two PUs.
std::vector<Cluster> all_clusters();
/// The same hardware under kOtherContentions.
std::vector<Cluster> other_clusters();

}  // namespace huddle::evaluation
