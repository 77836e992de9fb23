#include "tests/evaluation/hybrid_times/second_truth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace huddle::hybrid {
namespace {

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;
/// Seconds of one barrier, for each doubling of the team; and for each thread that waits for its
/// turn.
constexpr double kBarrierStep = 0.4e-6;
constexpr double kTurn = 2e-6;
/// The speed of a core's last-level cache, as a multiple of its own memory stream's.
constexpr double kCacheSpeed = 5;
constexpr double kSpinning = 0.4;

struct Flow {
  double missed_bytes = 0;
  double serial_s = 0;
  double compute_s = 0;
  double memory_s = 0;
  double barriers_s = 0;
  double total_s = 0;
};

double smooth_maximum(double a, double b, double c) {
  const auto power = [](double x) { return std::pow(x, 6); };
  return std::pow(power(a) + power(b) + power(c), 1.0 / 6);
}

// Cores fill one cache after the other.
double caches_used(const SecondNode& node, const TeamConfiguration& where) {
  const double each = static_cast<double>(node.cores.cores_per_die);
  return std::ceil(static_cast<double>(where.cores) / where.packages / each);
}

double missed(const SecondPhase& phase, const SecondNode& node, double caches) {
  const double needed =
      phase.working_set_bytes * (phase.shared_share + (1 - phase.shared_share) / caches);
  const double fourth = std::pow(needed / node.cache_bytes, 4);
  return phase.least_miss + (1 - phase.least_miss) * fourth / (1 + fourth);
}

double together(const SecondPhase& phase, double compute, double memory) {
  return std::max(compute, memory) + (1 - phase.overlap) * std::min(compute, memory);
}

Flow flow_of(const SecondPhase& phase, const SecondNode& node, const TeamConfiguration& where) {
  const double cores = where.cores;
  const double packages = where.packages;
  const double slower = where.clock.value > 0 ? node.cores.nominal / where.clock : 1;
  const double caches = packages * caches_used(node, where);
  Flow flow;
  const double bytes = phase.accessed_bytes * missed(phase, node, caches);
  flow.missed_bytes = bytes;
  const double hit_s = (phase.accessed_bytes - bytes) / (kCacheSpeed * node.core_bytes_per_s);
  const double parallel = 1 - phase.serial_share;
  flow.serial_s = phase.serial_share *
                  together(phase, phase.compute_s * slower, bytes / node.core_bytes_per_s + hit_s);
  // Threads that share a core even each other's work out.
  const double unevenness = 1 + phase.imbalance * std::sqrt(cores / where.threads);
  flow.compute_s = parallel * unevenness * phase.compute_s * slower / cores;
  flow.memory_s =
      parallel * (hit_s / cores + smooth_maximum(bytes / cores / node.core_bytes_per_s,
                                                 bytes / caches / node.cache_bytes_per_s,
                                                 bytes / packages / node.package_bytes_per_s));
  const double turns = static_cast<double>(where.threads) / cores - 1;
  flow.barriers_s =
      phase.barriers *
      (kBarrierStep * std::log2(1.0 + where.threads) * (0.6 + 0.4 * packages) + kTurn * turns);
  flow.total_s = flow.serial_s + together(phase, flow.compute_s, flow.memory_s) + flow.barriers_s;
  return flow;
}

// The characters of programs: centres that their phases are drawn around.
struct ProgramTraits {
  const char* name;
  /// Time in memory over time computing, on one core.
  double memory;
  double working_set_mb;
  double serial;
  double barriers;
  double imbalance;
};

constexpr std::array<ProgramTraits, 7> kPrograms = {{{"bt", 0.3, 60, 0.004, 2, 0.03},
                                                     {"cg", 2.0, 30, 0.008, 6, 0.02},
                                                     {"ft", 0.8, 300, 0.004, 2, 0.02},
                                                     {"is", 1.5, 100, 0.02, 3, 0.05},
                                                     {"lu", 0.5, 40, 0.01, 16, 0.06},
                                                     {"mg", 1.8, 200, 0.015, 4, 0.04},
                                                     {"sp", 1.0, 80, 0.005, 3, 0.03}}};

SecondPhase drawn_phase(const ProgramTraits& traits, std::size_t number, evaluation::Noise& noise) {
  const auto around = [&noise](double centre, double factor) {
    return centre * std::pow(factor, 2 * noise.uniform() - 1);
  };
  SecondPhase phase;
  phase.program = traits.name;
  phase.name = std::string(traits.name) + "." + std::to_string(number);
  phase.compute_s = around(0.4, 6);
  phase.serial_share = around(traits.serial, 4);
  phase.instructions_per_cycle = 1 + 1.8 * noise.uniform();
  // Bytes at some 10 GB/s of one core.
  phase.accessed_bytes = around(traits.memory, 3) * phase.compute_s * 10 * kGiga;
  phase.working_set_bytes = around(traits.working_set_mb, 4) * kMega;
  phase.shared_share = 0.3 * noise.uniform();
  phase.least_miss = 0.02 + 0.2 * noise.uniform();
  phase.overlap = 0.3 + 0.6 * noise.uniform();
  phase.imbalance = around(traits.imbalance, 3);
  phase.barriers = std::round(std::max(around(traits.barriers, 3), 1.0));
  phase.noise = 0.02 + 0.03 * noise.uniform();
  return phase;
}

}  // namespace

const std::vector<SecondNode>& second_nodes() {
  const auto clocks = [](std::vector<double> ghz) {
    std::vector<Hertz> result;
    for (const double one : ghz) result.push_back({one * kGiga});
    return result;
  };
  static const std::vector<SecondNode> nodes = {
      {"2x8",
       {.packages = 2, .dies_per_package = 1, .cores_per_die = 8, .nominal = {2.6e9}},
       clocks({2.6, 2.4, 2.0, 1.6}),
       20e6,
       12e9,
       90e9,
       45e9},
      {"1x64",
       {.packages = 1, .dies_per_package = 8, .cores_per_die = 8, .nominal = {2.45e9}},
       clocks({2.45, 2.2, 2.0, 1.5}),
       32e6,
       14e9,
       45e9,
       180e9},
      {"4x12",
       {.packages = 4, .dies_per_package = 2, .cores_per_die = 6, .nominal = {2.1e9}},
       clocks({2.1, 1.9, 1.5, 1.2}),
       6e6,
       6e9,
       20e9,
       24e9}};
  return nodes;
}

Seconds true_time(const SecondPhase& phase, const SecondNode& node,
                  const TeamConfiguration& configuration) {
  return {flow_of(phase, node, configuration).total_s};
}

predict::TeamSample measured_sample(const SecondPhase& phase, const SecondNode& node,
                                    const TeamConfiguration& configuration, std::uint64_t passes,
                                    evaluation::Noise& noise) {
  const Flow flow = flow_of(phase, node, configuration);
  std::vector<double> times;
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    times.push_back(flow.total_s * std::max(noise.factor(phase.noise), 0.5));
  predict::TeamSample sample;
  sample.configuration = configuration;
  sample.passes = passes;
  for (const double time : times) sample.mean.value += time / static_cast<double>(passes);
  for (const double time : times)
    sample.variance_s2 += std::pow(time - sample.mean.value, 2) / static_cast<double>(passes);

  const double clock =
      configuration.clock.value > 0 ? configuration.clock.value : node.cores.nominal.value;
  const double cores = configuration.cores;
  const double cycles = sample.mean.value * clock * cores;
  const double busy_s = flow.serial_s / cores + flow.compute_s + flow.memory_s;
  const double idle = std::max(0.0, 1 - busy_s / flow.total_s);
  // Threads that have their cores to themselves look for work, others give the core away.
  const double spinning =
      configuration.cores == configuration.threads ? kSpinning * idle * cycles : 0;
  const double computing =
      phase.compute_s * node.cores.nominal.value * phase.instructions_per_cycle;
  const std::array<double, 4> counts = {
      computing + spinning, phase.accessed_bytes / 64, flow.missed_bytes / 64,
      cycles * std::max(0.0, flow.total_s - flow.compute_s - flow.serial_s - flow.barriers_s) /
          flow.total_s};
  for (const double count : counts)
    sample.event_rates.push_back(count / cycles * noise.factor(0.02));
  return sample;
}

std::vector<SecondPhase> drawn_phases(std::size_t phases_each, std::uint64_t seed) {
  std::vector<SecondPhase> phases;
  for (const ProgramTraits& traits : kPrograms) {
    evaluation::Noise noise(evaluation::seed_of(traits.name), seed);
    for (std::size_t i = 0; i < phases_each; ++i) phases.push_back(drawn_phase(traits, i, noise));
  }
  return phases;
}

}  // namespace huddle::hybrid
