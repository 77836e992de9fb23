#include "tests/evaluation/forecast_rows/program_laws.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::evaluation {
namespace {

constexpr double kLine = 64;
constexpr double kProcesses = 4;

// Work of a whole team in one call of its region.
struct TeamWork {
  double cycles = 0;       // of computation, all threads together
  double bytes = 0;        // that pass the first cache
  double working_set = 0;  // bytes that are used again in the next call
  double uneven = 1;       // the most work of a thread over the mean
};

double sockets_of(const MeasuredNode& node, double threads) {
  return std::ceil(threads / node.cores_per_socket);
}

double cached_share(const MeasuredNode& node, const TeamWork& work, double threads) {
  return std::min(1.0, sockets_of(node, threads) * node.cache_socket / work.working_set);
}

// Computation and memory overlap but for a part of the shorter one.
LawfulRow lawful(const MeasuredNode& node, const TeamWork& work, double threads, double calls) {
  constexpr double kNotOverlapped = 0.3;
  const double cached = cached_share(node, work, threads);
  const double bandwidth =
      std::min(threads * node.bandwidth_core, sockets_of(node, threads) * node.bandwidth_socket);
  const double computing = work.uneven * work.cycles / (threads * node.hertz);
  const double memory =
      work.uneven * work.bytes * (1 - cached + cached / node.cache_speed) / bandwidth;
  const double one = std::max(computing, memory) + kNotOverlapped * std::min(computing, memory) +
                     node.barrier_s * std::log2(2 * threads);
  LawfulRow row;
  row.calls = calls;
  row.seconds = calls * one;
  const double busy = computing / one;
  row.watts = node.idle_watts +
              threads * node.core_watts * (busy + (1 - busy) * node.stalled_share) +
              node.watts_per_byte_s * work.bytes * (1 - cached) / one;
  row.lines = calls * work.bytes / kLine / threads;
  row.misses = row.lines * (1 - cached) + 0.002 * row.lines;
  row.stalls = calls * std::max(0.0, one - computing) * node.hertz;
  return row;
}

LawfulRow homb(const MeasuredNode& node, double size, double threads) {
  constexpr double kSweeps = 100;
  const double points = size * size / kProcesses;
  const TeamWork work{.cycles = 3 * points, .bytes = 24 * points, .working_set = 16 * points};
  LawfulRow row = lawful(node, work, threads, kSweeps);
  row.simd = kSweeps * points / threads;
  row.instructions = 3.2 * row.simd;
  return row;
}

LawfulRow comd(const MeasuredNode& node, double size, double threads) {
  constexpr double kSteps = 100;
  constexpr double kCutoff = 5.787;      // Angstrom, Lennard-Jones copper
  constexpr double kAtomVolume = 11.81;  // Angstrom^3
  constexpr double kCyclesOfPair = 9;    // most pairs are found to be too far apart
  const double edge = std::floor(std::cbrt(size * kAtomVolume) / kCutoff);
  const double cells = edge * edge * edge;
  const double pairs = size * 27 * size / cells;
  TeamWork work{.cycles = kCyclesOfPair * pairs, .bytes = 4 * 96 * size, .working_set = 160 * size};
  // Cells are dealt out whole.
  work.uneven = std::ceil(cells / threads) / (cells / threads);
  LawfulRow row = lawful(node, work, threads, kSteps);
  row.simd = 0.4 * kSteps * pairs / threads;
  row.instructions = 14 * kSteps * pairs / threads;
  return row;
}

LawfulRow amg(const MeasuredNode& node, double size, double threads) {
  constexpr double kSolves = 20;
  constexpr double kCoarsening = 0.4;
  constexpr double kPasses = 5;  // smoothing, residual, interpolation
  const double levels = 1 + std::floor(std::log(size / 9) / std::log(1 / kCoarsening));
  const double cycles = std::ceil(6 + 0.6 * std::log2(size));
  double entries = 0;
  for (double level = 0; level < levels; ++level)
    entries += size * std::pow(kCoarsening, level) * (7 + 8 * std::min(level, 3.0));
  const double passes = kPasses * levels;
  const TeamWork work{.cycles = 2.5 * entries / levels,
                      .bytes = 12 * entries / levels,
                      .working_set = 12 * entries};
  LawfulRow row = lawful(node, work, threads, kSolves * cycles * passes);
  row.simd = 0.3 * row.calls * entries / levels / threads;
  row.instructions = 5 * row.calls * entries / levels / threads;
  return row;
}

}  // namespace

const std::array<ProgramLaw, 3>& program_laws() {
  static constexpr std::array<ProgramLaw, 3> kLaws = {{
      {"HOMB", 4096, 32768, 897, 0.01, homb},
      {"CoMD", 1000, 20000, 951, 0.03, comd},
      {"AMG2006-Laplace", 1024, 131072, 1017, 0.03, amg},
  }};
  return kLaws;
}

}  // namespace huddle::evaluation
