#pragma once

// Types of nodes and their phases as a study needs them, whichever truth they are of.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::hybrid {

/// A phase of a program on one type of node.
struct StudiedPhase {
  std::string program;
  std::string name;
  /// One pass without noise.
  std::function<Seconds(const TeamConfiguration&)> time;
  /// The mean of so many passes, each with its noise, and event rates.
  std::function<predict::TeamSample(const TeamConfiguration&, std::uint64_t, evaluation::Noise&)>
      measure;
};

struct StudiedNode {
  std::string name;
  TeamNode cores;
  /// From the top downwards.
  std::vector<Hertz> clocks;
  /// Phases of seven programs, for a seed.
  std::function<std::vector<StudiedPhase>(std::uint64_t)> draw;
};

/// The nodes of the truth that was committed before the models (true_phases.hpp).
std::vector<StudiedNode> nodes_of_first_truth();
/// The nodes of another one, by somebody who knew neither that one nor the models
/// (second_truth.hpp).
std::vector<StudiedNode> nodes_of_second_truth();

/// All divisors of the cores down to an eighth, on as few and as many packages as they fit, on all
/// clocks. `packed` as for published_samples.
std::vector<TeamConfiguration> configurations_of(const StudiedNode& node, bool packed);

}  // namespace huddle::hybrid
