#include "tests/aggregator/predict/computation/synthetic_truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace huddle::predict {
namespace {

constexpr double kFrequency = 2.5e9;
constexpr double kLineBytes = 64;

// The slowest of what a rank can ask for, its part of the package and its part of the node.
double memory_time(const PretendedMachine& machine, const PretendedProgram& program,
                   const Pattern& pattern) {
  const double on_package = pattern.dies * pattern.cores;
  const double on_node = on_package * pattern.packages;
  const double bandwidth =
      std::min({machine.rank_bandwidth * program.rate, machine.package_bandwidth / on_package,
                machine.node_bandwidth / on_node});
  return fetched_bytes(machine, program, pattern) / bandwidth;
}

// Memory gets slower by what it is used, as in a queue, in the mean over the run.
double queueing_time(const PretendedMachine& machine, const PretendedProgram& program,
                     const Pattern& pattern) {
  const double bytes = fetched_bytes(machine, program, pattern);
  const double alone = bytes / (machine.rank_bandwidth * program.rate);
  const double ranks = pattern.dies * pattern.cores;
  double low = ranks * bytes / machine.package_bandwidth;
  double high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double time = (low + high) / 2;
    const double busy = ranks * bytes / machine.package_bandwidth / time;
    const double needed =
        busy < 1 ? program.core_s + alone * (1 + 0.4 * busy * busy / (1 - busy)) : 1e9;
    (needed > time ? low : high) = time;
  }
  return low;
}

double clock_slowdown(const PretendedMachine& machine, const Pattern& pattern) {
  return 1 + machine.clock_loss * (pattern.dies * pattern.cores - 1);
}

}  // namespace

double fetched_bytes(const PretendedMachine& machine, const PretendedProgram& program,
                     const Pattern& pattern) {
  const double share = machine.cache_bytes / pattern.cores;
  const double reused = program.reuse * std::min(1.0, share / program.working_set_bytes);
  return program.traffic * (1 - reused);
}

double true_time(const PretendedMachine& machine, const PretendedProgram& at_full_clock,
                 const Pattern& pattern) {
  PretendedProgram program = at_full_clock;
  program.core_s *= clock_slowdown(machine, pattern);
  switch (machine.truth) {
    case Truth::kRoofline:
      return std::max(program.core_s, memory_time(machine, program, pattern));
    case Truth::kQueueing:
      return queueing_time(machine, program, pattern);
    default:
      return program.core_s + memory_time(machine, program, pattern);
  }
}

std::vector<PretendedProgram> pretended_programs(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  std::vector<PretendedProgram> programs;
  for (std::size_t i = 0; i < count; ++i) {
    PretendedProgram program;
    program.name = fmt::format("program {}", i);
    program.core_s = between(5, 20);
    // From next to nothing to three times as long in memory as in the cores.
    program.traffic = program.core_s * 12e9 * 3 * (static_cast<double>(i) + between(0, 1)) /
                      static_cast<double>(count);
    program.reuse = between(0, 0.8);
    program.working_set_bytes = between(4e6, 40e6);
    program.rate = between(0.3, 1);
    program.traffic *= program.rate;
    programs.push_back(program);
  }
  return programs;
}

ProgramSamples measured(const PretendedMachine& machine, const PretendedProgram& program,
                        const std::vector<Pattern>& patterns, bool events) {
  ProgramSamples samples{program.name, program.name, {{"everything", {}}}, {}, 1, events};
  for (const Pattern& pattern : patterns) {
    PhaseSample sample{pattern, {true_time(machine, program, pattern)}, 0.002, {}};
    if (events) {
      sample.counts["instructions"] = program.core_s * kFrequency * 2;
      sample.clock = kFrequency / clock_slowdown(machine, pattern);
      sample.counts["cycles"] = sample.time.value * *sample.clock;
      sample.counts["cache-references"] = program.traffic / kLineBytes;
      sample.counts["cache-misses"] = fetched_bytes(machine, program, pattern) / kLineBytes;
    }
    samples.groups.front().samples.push_back(sample);
  }
  return samples;
}

std::vector<Pattern> all_patterns(std::uint32_t packages, std::uint32_t dies, std::uint32_t cores) {
  std::vector<Pattern> patterns;
  for (std::uint32_t p = 1; p <= packages; ++p)
    for (std::uint32_t d = 1; d <= dies; ++d)
      for (std::uint32_t c = 1; c <= cores; ++c) patterns.push_back({p, d, c});
  return patterns;
}

}  // namespace huddle::predict
