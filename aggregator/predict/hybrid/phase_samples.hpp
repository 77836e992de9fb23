#pragma once

// What was measured of the OpenMP phases of programs: parallel regions, and the serial code between
// MPI calls, which is a phase of one thread.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_configuration.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The cores that one team may get: a node's, or a rank's part of them.
struct TeamCores {
  /// At least 1, as the next two.
  std::uint32_t packages = 1;
  std::uint32_t cores_per_package = 1;
  /// How many cores of a package share a last-level cache. Cores of a package are taken cache by
  /// cache, so that caches that are not needed stay empty.
  std::uint32_t cores_per_cache = 1;
  /// What a clock of 0 is taken for, and the clock of reference.
  Hertz top_clock;

  friend bool operator==(const TeamCores&, const TeamCores&) = default;
};

/// A phase on one configuration.
struct TeamSample {
  TeamConfiguration configuration;
  /// Of one pass; above 0.
  Seconds mean;
  /// Of the passes around the mean, in s^2; 0 where there was one pass.
  double variance_s2 = 0;
  /// At least 1.
  std::uint64_t passes = 1;
  /// Events per elapsed clock cycle, in an order that all samples of a training set share; empty
  /// where nothing was counted.
  std::vector<double> event_rates;

  friend bool operator==(const TeamSample&, const TeamSample&) = default;
};

/// A phase of one program on one type of node. The first sample is the run as submitted, or the
/// one nearest to it.
struct PhaseSamples {
  std::string program;
  std::string node_type;
  std::string phase;
  /// Wall time outside of regions before one pass, as far as it is known; 0 otherwise. No part of
  /// the samples' times.
  Seconds serial;
  /// Threads that the program asks for; at least 1.
  std::uint32_t team = 1;
  std::vector<TeamSample> samples;

  friend bool operator==(const PhaseSamples&, const PhaseSamples&) = default;
};

/// The samples that the published method takes of a node: all cores at the top clock; half of them
/// at the second clock, spread over all packages; and half of them at the second clock, on as many
/// packages as they fill. Where there is one package, placements differ in no way that a
/// TeamConfiguration tells: the last has a quarter of the cores instead. The first two tell most:
/// on half of the packages, half of the cores have half of the flow to memory, and what is bound by
/// memory looks like what is not. `packed`: the team keeps the size of all cores, and its threads
/// share cores; otherwise it has a thread for each core.
std::vector<TeamConfiguration> published_samples(const TeamCores& node, Hertz second_clock,
                                                 bool packed);

}  // namespace huddle
