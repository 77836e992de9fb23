#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle::predict {

/// The way in which computing and waiting for memory add up on the pretended machine.
enum class Truth : std::uint8_t { kRoofline, kSerial, kQueueing };

/// A machine with figures of its own, unlike the parameters of the models: the share of a cache
/// that a rank gets decides how much it must fetch, and memory has bandwidths in bytes per second.
struct PretendedMachine {
  Truth truth = Truth::kSerial;
  double cache_bytes = 16e6;
  double rank_bandwidth = 12e9;
  double package_bandwidth = 30e9;
  double node_bandwidth = 50e9;
  /// The share by which a core computes longer for each other busy core of its package.
  double clock_loss = 0;
};

/// The work of a pretended program in one run, for each rank.
struct PretendedProgram {
  std::string name;
  double core_s = 10;
  /// Loads that go past the private caches, in bytes.
  double traffic = 1e10;
  /// The share of the traffic that comes from the shared cache while the rank's share of that cache
  /// is large enough.
  double reuse = 0.5;
  double working_set_bytes = 16e6;
  /// The largest part of rank_bandwidth that it can ask for.
  double rate = 1;
};

/// Bytes that a rank fetches from memory.
double fetched_bytes(const PretendedMachine& machine, const PretendedProgram& program,
                     const Pattern& pattern);
/// Seconds of computation of a rank.
double true_time(const PretendedMachine& machine, const PretendedProgram& program,
                 const Pattern& pattern);

/// `count` programs from compute-bound to bandwidth-bound and latency-bound, all different; another
/// `seed`, other programs.
std::vector<PretendedProgram> pretended_programs(std::size_t count, std::uint32_t seed);

/// Its samples on `patterns`, with or without hardware events.
ProgramSamples measured(const PretendedMachine& machine, const PretendedProgram& program,
                        const std::vector<Pattern>& patterns, bool events);

/// Every pattern of a node.
std::vector<Pattern> all_patterns(std::uint32_t packages, std::uint32_t dies, std::uint32_t cores);

}  // namespace huddle::predict
