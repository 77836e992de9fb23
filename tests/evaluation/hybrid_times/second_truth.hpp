#pragma once

// A second truth beside that of true_phases.hpp, by somebody who knew neither that one nor the
// models that are judged here: what saturates, how misses grow, and what barriers and idle threads
// take have other forms.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::hybrid {

struct SecondNode {
  std::string name;
  TeamNode cores;
  /// Descending; the first is the top clock.
  std::vector<Hertz> clocks;
  double cache_bytes = 0;
  /// The bandwidths that one core alone, those at one cache, and those of one package can get from
  /// memory.
  double core_bytes_per_s = 0;
  double cache_bytes_per_s = 0;
  double package_bytes_per_s = 0;
};

/// 2 x 8 cores; 1 x 64 with eight last-level caches; 4 x 12 with two in each package.
const std::vector<SecondNode>& second_nodes();

struct SecondPhase {
  std::string program;
  std::string name;
  /// The time of one core at the top clock that waits for nothing.
  double compute_s = 0;
  /// The share of that which one thread does alone.
  double serial_share = 0;
  /// Instructions per cycle while it computes.
  double instructions_per_cycle = 1;
  /// Bytes that get past the caches of single cores.
  double accessed_bytes = 0;
  double working_set_bytes = 0;
  /// The share of the working set that each cache needs a copy of.
  double shared_share = 0;
  /// Share of accesses that go to memory with a cache of any size.
  double least_miss = 0;
  /// The share of the shorter of computing and waiting for memory that is hidden.
  double overlap = 0;
  /// The excess of the slowest of all threads over their average time, as a share of that.
  double imbalance = 0;
  double barriers = 1;
  /// Standard deviation of a pass, relative.
  double noise = 0;
};

/// Without noise.
Seconds true_time(const SecondPhase& phase, const SecondNode& node,
                  const TeamConfiguration& configuration);

/// Means of passes with the phase's noise, and four event rates: instructions, accesses past the
/// cores' caches, misses, and the share of cycles that wait for memory, each counted with an error
/// of 2 %.
predict::TeamSample measured_sample(const SecondPhase& phase, const SecondNode& node,
                                    const TeamConfiguration& configuration, std::uint64_t passes,
                                    evaluation::Noise& noise);

/// Seven programs that differ as BT, CG, FT, IS, LU, MG and SP of NPB do, with `phases_each`.
std::vector<SecondPhase> drawn_phases(std::size_t phases_each, std::uint64_t seed);

}  // namespace huddle::hybrid
