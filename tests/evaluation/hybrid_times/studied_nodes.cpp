#include "tests/evaluation/hybrid_times/studied_nodes.hpp"

#include "tests/evaluation/hybrid_times/second_truth.hpp"
#include "tests/evaluation/hybrid_times/true_phases.hpp"

namespace huddle::hybrid {
namespace {

constexpr std::size_t kPhasesEach = 6;

// `draw` makes a truth's phases for a seed; `measured` takes a sample of one of them.
template <typename Node, typename Draw, typename Measure>
StudiedNode studied(const Node& node, Draw draw, Measure measured) {
  return {node.name, node.cores, node.clocks, [node, draw, measured](std::uint64_t seed) {
            std::vector<StudiedPhase> phases;
            for (const auto& phase : draw(seed))
              phases.push_back(
                  {phase.program, phase.name,
                   [phase, node](const TeamConfiguration& where) {
                     return true_time(phase, node, where);
                   },
                   [phase, node, measured](const TeamConfiguration& where, std::uint64_t passes,
                                           evaluation::Noise& random) {
                     return measured(phase, node, where, passes, random);
                   }});
            return phases;
          }};
}

}  // namespace

std::vector<StudiedNode> nodes_of_first_truth() {
  std::vector<StudiedNode> nodes;
  for (const TrueNode& node : true_nodes()) nodes.push_back(studied(node, draw_phases, measure));
  return nodes;
}

std::vector<StudiedNode> nodes_of_second_truth() {
  const auto draw = [](std::uint64_t seed) { return drawn_phases(kPhasesEach, seed); };
  std::vector<StudiedNode> nodes;
  for (const SecondNode& node : second_nodes())
    nodes.push_back(studied(node, draw, measured_sample));
  return nodes;
}

std::vector<TeamConfiguration> configurations_of(const StudiedNode& node, bool packed) {
  const std::uint32_t all = node.cores.packages * node.cores.cores_per_package();
  std::vector<TeamConfiguration> result;
  for (std::uint32_t cores = all; cores * 8 >= all; --cores) {
    if (all % cores != 0) continue;
    for (std::uint32_t packages = 1; packages <= node.cores.packages; packages *= 2)
      if (cores % packages == 0 && cores / packages <= node.cores.cores_per_package())
        for (const Hertz clock : node.clocks)
          result.push_back({packed ? all : cores, cores, packages, clock});
  }
  return result;
}

}  // namespace huddle::hybrid
