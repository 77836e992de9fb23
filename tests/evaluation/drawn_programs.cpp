#include "tests/evaluation/drawn_programs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

constexpr unsigned kPrograms = 8;

double between(Noise& lot, double least, double most) {
  return least + (most - least) * lot.uniform();
}

// As likely in each decade.
double of_any_size(Noise& lot, double least, double most) {
  return least * std::pow(most / least, lot.uniform());
}

Computation drawn_computation(Noise& lot) {
  Computation drawn;
  drawn.instructions = of_any_size(lot, 3e6, 120e6);
  drawn.base_cpi = between(lot, 0.65, 1);
  drawn.references = of_any_size(lot, 0.0005, 0.03);
  drawn.least_misses = between(lot, 0.05, 0.55);
  drawn.most_misses = between(lot, drawn.least_misses + 0.1, 0.95);
  drawn.footprint_bytes = of_any_size(lot, 0.5e6, 110e6);
  drawn.steepness = between(lot, 1, 2);
  drawn.bytes_per_miss = between(lot, 64, 128);
  drawn.parallelism = between(lot, 2, 9);
  return drawn;
}

Exchange drawn_exchange(Noise& lot) {
  Exchange drawn;
  drawn.shape = static_cast<Shape>(static_cast<unsigned>(lot.uniform() * 7));
  switch (drawn.shape) {
    case Shape::kAllreduce:
      drawn.bytes = of_any_size(lot, 8, 8e3);
      break;
    case Shape::kWavefront:
      drawn.bytes = of_any_size(lot, 1e3, 20e3);
      drawn.blocks = 4 + static_cast<unsigned>(lot.uniform() * 9);
      break;
    case Shape::kHalo2d:
    case Shape::kHalo3d:
      drawn.bytes = of_any_size(lot, 5e3, 250e3);
      if (lot.uniform() < 0.5) drawn.overlap = between(lot, 0.1, 0.6);
      break;
    default:
      drawn.bytes = of_any_size(lot, 5e3, 200e3);
  }
  return drawn;
}

Program drawn_program(Noise& lot) {
  Program drawn;
  const auto steps = 1 + static_cast<unsigned>(lot.uniform() * 3);
  for (unsigned step = 0; step < steps; ++step)
    drawn.steps.push_back({drawn_computation(lot), drawn_exchange(lot)});
  if (!is_delimiter(drawn.steps.back().exchange.shape))
    drawn.steps.push_back({drawn_computation(lot), {Shape::kAllreduce, 8, 0, 1}});
  drawn.imbalance = lot.uniform() < 0.3 ? between(lot, 0.1, 0.3) : between(lot, 0.005, 0.02);
  drawn.iterations = 200;
  drawn.resident_bytes = 500e6;
  return drawn;
}

}  // namespace

std::vector<Program> drawn_programs(std::uint64_t seed) {
  std::vector<Program> programs;
  for (unsigned number = 1; number <= kPrograms; ++number) {
    Noise lot(seed, number);
    programs.push_back(drawn_program(lot));
    programs.back().name = fmt::format("drawn-{}-{}", seed, number);
  }
  return programs;
}

}  // namespace huddle::evaluation
