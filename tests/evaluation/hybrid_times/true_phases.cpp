#include "tests/evaluation/hybrid_times/true_phases.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace huddle::hybrid {
namespace {

constexpr double kCacheLine = 64;

/// Where the phases of a program lie: medians, around which they are drawn.
struct Character {
  const char* program;
  std::size_t phases;
  double parallel_cycles;
  double serial_share;
  /// Bytes per cycle.
  double intensity;
  double working_set;
  double streamed;
  double barriers;
};

constexpr std::array<Character, 7> kCharacters = {{
    {"bt", 8, 1.2e9, 0.002, 0.5, 60e6, 0.3, 4},
    {"cg", 5, 2.5e8, 0.004, 2.5, 150e6, 0.5, 6},
    {"ep", 4, 3.0e9, 0.001, 0.01, 2e6, 0.1, 1},
    {"ft", 6, 1.0e9, 0.003, 1.2, 250e6, 0.6, 2},
    {"lu", 7, 8.0e8, 0.010, 0.6, 50e6, 0.2, 40},
    {"mg", 8, 2.0e8, 0.006, 2.0, 100e6, 0.5, 4},
    {"sp", 8, 6.0e8, 0.003, 1.2, 80e6, 0.4, 4},
}};

double around(double median, double spread, evaluation::Noise& random) {
  return median * std::exp(spread * random.normal());
}

TruePhase draw_phase(const Character& of, evaluation::Noise& random) {
  TruePhase phase;
  phase.program = of.program;
  phase.parallel_cycles = around(of.parallel_cycles, 0.6, random);
  phase.serial_cycles = phase.parallel_cycles * around(of.serial_share, 0.6, random);
  phase.bytes = phase.parallel_cycles * around(of.intensity, 0.5, random);
  phase.working_set = around(of.working_set, 0.7, random);
  phase.streamed = std::min(around(of.streamed, 0.4, random), 1.0);
  phase.sharpness = 0.8 + 1.4 * random.uniform();
  phase.overlap = 1 + 3 * random.uniform();
  phase.barriers = around(of.barriers, 0.5, random);
  phase.imbalance = 0.15 * random.uniform() * random.uniform();
  phase.instructions_per_cycle = around(1.4, 0.25, random);
  phase.noise = 0.02 + 0.03 * random.uniform();
  return phase;
}

/// The parts of a pass, in seconds, and the bytes that it moves.
struct Parts {
  double work = 0;
  double flow = 0;
  double together = 0;
  double serial = 0;
  double barriers = 0;
  double bytes = 0;

  [[nodiscard]] double time() const { return together + serial + barriers; }
};

double hertz_of(const TrueNode& node, const TeamConfiguration& configuration) {
  return configuration.clock.value > 0 ? configuration.clock.value : node.clocks.front().value;
}

double moved_bytes(const TruePhase& phase, const TrueNode& node,
                   const TeamConfiguration& configuration) {
  const std::uint32_t in_package =
      (configuration.cores + configuration.packages - 1) / configuration.packages;
  const std::uint32_t caches =
      configuration.packages *
      ((in_package + node.cores.cores_per_die - 1) / node.cores.cores_per_die);
  const double filled = caches * node.cache_bytes / phase.working_set;
  const double missed = 1 / (1 + std::pow(filled, 2 * phase.sharpness));
  return phase.bytes * (phase.streamed + (1 - phase.streamed) * missed);
}

double flow_of(const TrueNode& node, const TeamConfiguration& configuration) {
  const double wanted =
      node.core_flow * static_cast<double>(configuration.cores) / configuration.packages;
  // Softly the smaller of the two.
  return configuration.packages *
         std::pow(std::pow(wanted, -4) + std::pow(node.package_flow, -4), -0.25);
}

Parts parts_of(const TruePhase& phase, const TrueNode& node,
               const TeamConfiguration& configuration) {
  const double hertz = hertz_of(node, configuration);
  const double threads = configuration.threads;
  const auto in_core =
      static_cast<double>((configuration.threads + configuration.cores - 1) / configuration.cores);
  Parts parts;
  parts.work =
      phase.parallel_cycles / hertz * in_core / threads * (1 + phase.imbalance * (1 - 1 / threads));
  parts.bytes = moved_bytes(phase, node, configuration);
  parts.flow = parts.bytes / flow_of(node, configuration);
  parts.together = std::pow(
      std::pow(parts.work, phase.overlap) + std::pow(parts.flow, phase.overlap), 1 / phase.overlap);
  parts.serial = phase.serial_cycles / hertz;
  parts.barriers = phase.barriers * (node.doubling.value * std::log2(std::max(threads, 1.0)) +
                                     node.further_package.value * (configuration.packages - 1) +
                                     node.switching.value * (in_core - 1));
  return parts;
}

}  // namespace

std::vector<TrueNode> true_nodes() {
  const auto clocks = [](double top, double step) {
    return std::vector<Hertz>{{top}, {top - step}, {top - 3 * step}, {top - 6 * step}};
  };
  const auto node = [](std::uint32_t packages, std::uint32_t dies, std::uint32_t cores,
                       double top) {
    TeamNode made;
    made.packages = packages;
    made.dies_per_package = dies;
    made.cores_per_die = cores;
    made.nominal = {top};
    return made;
  };
  return {{"2x8",
           node(2, 1, 8, 2.6e9),
           clocks(2.6e9, 0.2e9),
           20e6,
           40e9,
           9e9,
           {0.4e-6},
           {1.0e-6},
           {4e-6}},
          {"1x64",
           node(1, 8, 8, 2.4e9),
           clocks(2.4e9, 0.15e9),
           32e6,
           150e9,
           12e9,
           {0.5e-6},
           {0},
           {3e-6}},
          {"4x12",
           node(4, 2, 6, 2.2e9),
           clocks(2.2e9, 0.2e9),
           6e6,
           22e9,
           4e9,
           {0.7e-6},
           {2.0e-6},
           {6e-6}}};
}

std::vector<TruePhase> draw_phases(std::uint64_t seed) {
  evaluation::Noise random(seed, evaluation::seed_of("phases"));
  std::vector<TruePhase> phases;
  for (const Character& character : kCharacters)
    for (std::size_t i = 0; i < character.phases; ++i) {
      phases.push_back(draw_phase(character, random));
      phases.back().name = phases.back().program + std::to_string(i + 1);
    }
  return phases;
}

Seconds true_time(const TruePhase& phase, const TrueNode& node,
                  const TeamConfiguration& configuration) {
  return {parts_of(phase, node, configuration).time()};
}

predict::TeamSample measure(const TruePhase& phase, const TrueNode& node,
                            const TeamConfiguration& configuration, std::uint64_t passes,
                            evaluation::Noise& random) {
  const Parts parts = parts_of(phase, node, configuration);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < passes; ++i) {
    const double time = parts.time() * std::max(0.5, random.factor(phase.noise));
    sum += time;
    squares += time * time;
  }
  const auto n = static_cast<double>(passes);
  predict::TeamSample sample{
      configuration, {sum / n}, std::max(0.0, squares / n - sum * sum / n / n), passes, {}};
  const double cycles = parts.time() * hertz_of(node, configuration) * configuration.cores;
  for (const double count :
       {(phase.parallel_cycles + phase.serial_cycles) * phase.instructions_per_cycle,
        phase.bytes / kCacheLine, parts.bytes / kCacheLine,
        cycles * (parts.together - parts.work) / parts.time()})
    sample.event_rates.push_back(std::max(0.0, count / cycles * random.factor(0.02)));
  return sample;
}

}  // namespace huddle::hybrid
