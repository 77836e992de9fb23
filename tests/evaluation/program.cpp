#include "tests/evaluation/program.hpp"

#include <algorithm>
#include <cmath>

#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

// The bytes of an exchange when `share` of the ranks' part of the problem is left.
double bytes_left(const Exchange& exchange, double share) {
  switch (exchange.shape) {
    case Shape::kHalo2d:
    case Shape::kWavefront:
      return exchange.bytes * std::sqrt(share);
    case Shape::kHalo3d:
      return exchange.bytes * std::pow(share, 2.0 / 3);
    case Shape::kButterfly:
      return exchange.bytes * std::pow(share, 0.5);
    case Shape::kAllToAll:
      return exchange.bytes * share * share;
    case Shape::kRowsAllToAll:
      return exchange.bytes * std::pow(share, 1.5);
    case Shape::kPairs:
    case Shape::kAllreduce:
      break;
  }
  return exchange.bytes;
}

}  // namespace

Program scaled(const Program& program, std::uint32_t ranks) {
  const double share = static_cast<double>(kBaseRanks) / ranks;
  Program result = program;
  result.resident_bytes = program.resident_bytes * share + 30e6;
  for (Step& step : result.steps) {
    step.computation.instructions *= share;
    step.computation.footprint_bytes *= share;
    step.exchange.bytes = std::max(8.0, std::round(bytes_left(step.exchange, share)));
  }
  return result;
}

bool is_delimiter(Shape shape) {
  return shape != Shape::kButterfly && shape != Shape::kWavefront;
}

bool is_all_to_all(Shape shape) {
  return shape == Shape::kAllToAll || shape == Shape::kRowsAllToAll;
}

std::string_view collective_name(Shape shape) {
  if (shape == Shape::kAllreduce) return "allreduce";
  if (is_all_to_all(shape)) return "alltoall";
  return "";
}

double load_of(const Program& program, std::uint32_t rank) {
  Noise noise(seed_of(program.name), rank);
  return 1 + program.imbalance * (2 * noise.uniform() - 1);
}

}  // namespace huddle::evaluation
