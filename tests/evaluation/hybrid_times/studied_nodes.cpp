#include "tests/evaluation/hybrid_times/studied_nodes.hpp"

#include "tests/evaluation/hybrid_times/second_truth.hpp"
#include "tests/evaluation/hybrid_times/true_phases.hpp"

namespace huddle::hybrid {
namespace {

constexpr std::size_t kPhasesEach = 6;

}  // namespace

std::vector<StudiedNode> nodes_of_first_truth() {
  std::vector<StudiedNode> nodes;
  for (const TrueNode& node : true_nodes())
    nodes.push_back({node.name, node.cores, node.clocks, [node](std::uint64_t seed) {
                       std::vector<StudiedPhase> phases;
                       for (const TruePhase& phase : draw_phases(seed))
                         phases.push_back(
                             {phase.program, phase.name,
                              [phase, node](const TeamConfiguration& where) {
                                return true_time(phase, node, where);
                              },
                              [phase, node](const TeamConfiguration& where, std::uint64_t passes,
                                            evaluation::Noise& random) {
                                return measure(phase, node, where, passes, random);
                              }});
                       return phases;
                     }});
  return nodes;
}

std::vector<StudiedNode> nodes_of_second_truth() {
  std::vector<StudiedNode> nodes;
  for (const SecondNode& node : second_nodes())
    nodes.push_back({node.name, node.cores, node.clocks, [node](std::uint64_t seed) {
                       std::vector<StudiedPhase> phases;
                       for (const SecondPhase& phase : drawn_phases(kPhasesEach, seed))
                         phases.push_back(
                             {phase.program, phase.name,
                              [phase, node](const TeamConfiguration& where) {
                                return true_time(phase, node, where);
                              },
                              [phase, node](const TeamConfiguration& where, std::uint64_t passes,
                                            evaluation::Noise& random) {
                                return measured_sample(phase, node, where, passes, random);
                              }});
                       return phases;
                     }});
  return nodes;
}

std::vector<TeamConfiguration> configurations_of(const StudiedNode& node, bool packed) {
  const std::uint32_t all = node.cores.packages * node.cores.cores_per_package;
  std::vector<TeamConfiguration> result;
  for (std::uint32_t cores = all; cores * 8 >= all; --cores) {
    if (all % cores != 0) continue;
    for (std::uint32_t packages = 1; packages <= node.cores.packages; packages *= 2)
      if (cores % packages == 0 && cores / packages <= node.cores.cores_per_package)
        for (const Hertz clock : node.clocks)
          result.push_back({packed ? all : cores, cores, packages, clock});
  }
  return result;
}

}  // namespace huddle::hybrid
