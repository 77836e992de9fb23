#include "tests/evaluation/contention.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::evaluation {
namespace {

constexpr double kLineBytes = 64;

double miss_ratio(const Computation& computation, double cache_share) {
  if (computation.footprint_bytes <= 0) return computation.least_misses;
  const double fit = std::pow(cache_share / computation.footprint_bytes, computation.steepness);
  return computation.least_misses +
         (computation.most_misses - computation.least_misses) / (1 + fit);
}

// A program goes round through parts of its footprint, an eighth, a half and all of it: a part that
// does not fit the cache share misses always, one that fits never; with some room in between.
double stacked_miss_ratio(const Computation& computation, double cache_share) {
  if (computation.footprint_bytes <= 0) return computation.least_misses;
  constexpr double kWidth = 0.1;
  double out = 0;
  for (const auto& [part, accesses] : {std::pair(0.125, 0.4), {0.5, 0.35}, {1.0, 0.25}}) {
    const double needed = part * computation.footprint_bytes;
    out += accesses * std::clamp((needed / cache_share - 1) / kWidth + 0.5, 0.0, 1.0);
  }
  return computation.least_misses + (computation.most_misses - computation.least_misses) * out;
}

// The delay by a queue in front of the memory, relative to an idle memory's latency.
double inflation(double utilisation) {
  return 0.6 * utilisation * utilisation / (1 - utilisation);
}

// The time t = computing + latency x (1 + inflation(utilisation(t))): more time means less
// utilisation, so there is one such t, and bisection finds it.
double queueing_time(double computing, double latency, double bandwidth_bound) {
  double low = std::max(computing + latency, bandwidth_bound);
  double high = low + 100 * (latency + bandwidth_bound);
  for (int round = 0; round < 80; ++round) {
    const double time = (low + high) / 2;
    const double utilisation = bandwidth_bound / time;
    const double needed =
        utilisation < 1 ? computing + latency * (1 + inflation(utilisation)) : 2 * high;
    (needed > time ? low : high) = time;
  }
  return high;
}

// Each stream of accesses finds its row open, until others open theirs in the same banks: from one
// stream to many, an access takes up to 1.4 times as long.
double row_penalty(const Sharers& sharers) {
  constexpr double kMost = 0.4;
  constexpr double kBanks = 6;
  return 1 + kMost * (1 - std::exp(-(sharers.package - 1.0) / kBanks));
}

// The factor, in latency and in bandwidth, of a die that is far from the memory.
double distance_penalty(const Cluster& cluster, const Sharers& sharers) {
  constexpr double kFarther = 1.2;
  return cluster.contention == Contention::kFar && sharers.far ? kFarther : 1;
}

// The cost of another rank on a core: two that issue all that the core can get half of it each, two
// that mostly wait for each other's results hardly notice.
double thread_slowdown(const Computation& computation, const Sharers& sharers) {
  constexpr double kFullIssue = 0.35;  // cycles per instruction of code that fills a core alone
  return 1 + (sharers.core - 1.0) * std::clamp(kFullIssue / computation.base_cpi, 0.1, 1.0);
}

// Seconds for each byte that one rank moves, by the level that is fullest.
double seconds_per_byte(const NodeHardware& node, const Sharers& sharers) {
  const double die = node.die_bandwidth > 0 ? sharers.die / node.die_bandwidth : 0;
  const double numa_node =
      sharers.numa_node * std::max(node.numa_per_package, 1U) / node.package_bandwidth;
  return std::max({die, numa_node, sharers.package / node.package_bandwidth,
                   sharers.node / node.node_bandwidth});
}

}  // namespace

// From one core of a package to all, the clock falls by up to 18 %, in steps as vendors have them.
double clock_of(const Cluster& cluster, const Sharers& sharers) {
  if (cluster.contention != Contention::kTurbo) return cluster.node.clock_hz;
  constexpr double kMost = 0.18;
  constexpr double kSteps = 6;
  const double cores = cluster.node.dies_per_package * cluster.node.cores_per_die;
  const double busy = cores > 1 ? (sharers.package / sharers.core - 1.0) / (cores - 1.0) : 0;
  return cluster.node.clock_hz * (1 - kMost * std::floor(busy * kSteps) / kSteps);
}

bool is_disturbed(std::uint32_t node) {
  return node % 8 == 3;
}

Pace pace_of(const Computation& computation, const Cluster& cluster, const Sharers& sharers) {
  const NodeHardware& node = cluster.node;
  Pace pace;
  pace.references = computation.instructions * computation.references;
  const double cache_share = node.cache_bytes / sharers.die;
  pace.misses = pace.references * (cluster.contention == Contention::kStack
                                       ? stacked_miss_ratio(computation, cache_share)
                                       : miss_ratio(computation, cache_share));
  pace.memory_bytes = pace.misses * computation.bytes_per_miss;
  pace.clock_hz = clock_of(cluster, sharers);

  const double own = computation.instructions * computation.base_cpi / pace.clock_hz *
                         thread_slowdown(computation, sharers) +
                     pace.references * node.cache_latency_s / computation.parallelism;
  const double cache = pace.references * kLineBytes * sharers.die / node.cache_bandwidth;
  const double computing = std::max(own, cache);
  const double latency = pace.misses * node.memory_latency_s / computation.parallelism;
  const double bandwidth = pace.memory_bytes * seconds_per_byte(node, sharers);
  switch (cluster.contention) {
    case Contention::kOverlap:
      pace.seconds = std::max({computing, latency, bandwidth});
      break;
    case Contention::kSerial:
      pace.seconds = computing + std::max(latency, bandwidth);
      break;
    case Contention::kQueueing:
      pace.seconds = queueing_time(computing, latency, bandwidth);
      break;
    case Contention::kRows:
      pace.seconds = computing + std::max(latency, bandwidth) * row_penalty(sharers);
      break;
    case Contention::kTurbo:
    case Contention::kStack:
      pace.seconds = computing + std::max(latency, bandwidth);
      break;
    case Contention::kFar:
      pace.seconds = computing + std::max(latency, bandwidth) * distance_penalty(cluster, sharers);
      break;
    case Contention::kNoisy:
      constexpr double kDisturbance = 1.04;
      pace.seconds =
          (computing + std::max(latency, bandwidth)) * (sharers.disturbed ? kDisturbance : 1);
      break;
  }
  return pace;
}

}  // namespace huddle::evaluation
