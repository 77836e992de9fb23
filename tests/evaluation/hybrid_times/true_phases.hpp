#pragma once

// OpenMP phases whose times are known on every configuration: the truth beside which predictions
// are put. Its forms are not those of the models: work and flow to memory overlap in part, caches
// fill gradually, and packages saturate softly.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::hybrid {

/// A type of node.
struct TrueNode {
  std::string name;
  TeamNode cores;
  /// From the top downwards.
  std::vector<Hertz> clocks;
  /// The size of one last-level cache.
  double cache_bytes = 0;
  /// Bytes per second that a package gets from memory, and one core at most.
  double package_flow = 0;
  double core_flow = 0;
  /// The time of a barrier for each doubling of the team, for each further package, and for each
  /// further thread that shares a core.
  Seconds doubling;
  Seconds further_package;
  Seconds switching;
};

/// A phase of a program, wherever it runs.
struct TruePhase {
  std::string program;
  std::string name;
  /// Cycles that the team shares, and that one thread needs while the others wait.
  double parallel_cycles = 0;
  double serial_cycles = 0;
  /// Bytes that move between memory and caches in a pass that misses everything.
  double bytes = 0;
  /// Bytes that all threads together touch again and again.
  double working_set = 0;
  /// The share of `bytes` that moves whatever the caches hold, and how sharply the rest fades as
  /// they grow beyond the working set.
  double streamed = 0;
  double sharpness = 1;
  /// 1: work and flow follow each other; large: they overlap.
  double overlap = 1;
  double barriers = 1;
  /// The excess of the longest thread's work in a large team over the mean, as a share of that.
  double imbalance = 0;
  double instructions_per_cycle = 1;
  /// Relative deviation of single passes: 0.02 to 0.05.
  double noise = 0;
};

/// Two packages of 8 cores, one of 64 cores with a cache for each 8, four of 12 with two caches
/// each.
std::vector<TrueNode> true_nodes();

/// Phases of seven programs with 4 to 8 phases each, whose characters are like those of the NAS
/// Parallel Benchmarks bt, cg, ep, ft, lu, mg and sp.
std::vector<TruePhase> draw_phases(std::uint64_t seed);

/// One pass without noise.
Seconds true_time(const TruePhase& phase, const TrueNode& node,
                  const TeamConfiguration& configuration);

/// The mean of `passes` passes, each with its noise, and four event rates: instructions, references
/// of the last-level cache, misses there, and cycles that wait for memory, each counted with an
/// error of 2 %.
predict::TeamSample measure(const TruePhase& phase, const TrueNode& node,
                            const TeamConfiguration& configuration, std::uint64_t passes,
                            evaluation::Noise& random);

}  // namespace huddle::hybrid
