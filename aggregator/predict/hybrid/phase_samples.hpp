#pragma once

// Measurements of the OpenMP phases of programs: parallel regions, and the serial code between
// MPI calls, which is a phase of one thread.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// A phase on one configuration.
struct TeamSample {
  hybrid::TeamConfiguration configuration;
  /// Time of one pass; above 0.
  Seconds mean;
  /// Variance of the passes around the mean, in s^2; 0 where there was one pass.
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
  std::vector<TeamSample> samples;

  friend bool operator==(const PhaseSamples&, const PhaseSamples&) = default;
};

}  // namespace huddle::predict
