#include "tests/evaluation/program.hpp"

namespace huddle::evaluation {
namespace {

constexpr double kKilo = 1e3;
constexpr double kMega = 1e6;

Program bound_by_computing() {
  return {.name = "dense-kernel",
          .steps = {{.computation = {.instructions = 90 * kMega,
                                     .base_cpi = 0.55,
                                     .references = 0.002,
                                     .least_misses = 0.02,
                                     .most_misses = 0.4,
                                     .footprint_bytes = 1.5 * kMega,
                                     .steepness = 3,
                                     .bytes_per_miss = 70,
                                     .parallelism = 4},
                     .exchange = {.shape = Shape::kAllreduce, .bytes = 64}}},
          .imbalance = 0.01,
          .iterations = 300,
          .resident_bytes = 200 * kMega};
}

/// The numbers that the programs below differ in.
struct Outline {
  const char* name;
  Computation computation;
  Exchange exchange;
  double imbalance;
};

Program with_norm(const Outline& outline) {
  const Computation norm = {.instructions = outline.computation.instructions * 0.06,
                            .base_cpi = 0.8,
                            .references = 0.02,
                            .least_misses = 0.1,
                            .most_misses = 0.9,
                            .footprint_bytes = outline.computation.footprint_bytes * 0.2,
                            .steepness = 1.5,
                            .bytes_per_miss = 64,
                            .parallelism = 8};
  return {.name = outline.name,
          .steps = {{.computation = outline.computation, .exchange = outline.exchange},
                    {.computation = norm, .exchange = {.shape = Shape::kAllreduce, .bytes = 8}}},
          .imbalance = outline.imbalance,
          .iterations = 200,
          .resident_bytes = 500 * kMega};
}

}  // namespace

// Each row: instructions, cycles each, references each, least and most misses, footprint,
// steepness, bytes per miss, parallelism; shape, bytes, overlap, blocks; imbalance.
std::vector<Program> training_programs() {
  const Outline outlines[] = {{"montecarlo",
                               {70e6, 0.95, 0.0005, 0.05, 0.5, 0.6e6, 2, 64, 2},
                               {Shape::kAllreduce, 512, 0, 1},
                               0.02},
                              {"pointer-chase",
                               {20e6, 0.7, 0.012, 0.1, 0.95, 30e6, 1, 66, 1.1},
                               {Shape::kHalo2d, 20 * kKilo, 0, 1},
                               0.01},
                              {"triad",
                               {25e6, 0.6, 0.034, 0.92, 1, 400e6, 1, 90, 9},
                               {Shape::kHalo3d, 60 * kKilo, 0, 1},
                               0.005},
                              {"stencil-small",
                               {40e6, 0.75, 0.02, 0.04, 0.8, 5e6, 2.5, 85, 6},
                               {Shape::kHalo2d, 80 * kKilo, 0.3, 1},
                               0.01},
                              {"stencil-large",
                               {45e6, 0.7, 0.024, 0.35, 0.9, 60e6, 1.2, 88, 7},
                               {Shape::kHalo3d, 350 * kKilo, 0.5, 1},
                               0.015},
                              {"sparse-product",
                               {35e6, 0.8, 0.028, 0.25, 0.85, 24e6, 1, 70, 4},
                               {Shape::kButterfly, 45 * kKilo, 0, 1},
                               0.02},
                              {"fourier",
                               {50e6, 0.7, 0.014, 0.3, 0.8, 40e6, 1.1, 96, 6},
                               {Shape::kAllToAll, 90 * kKilo, 0, 1},
                               0.005},
                              {"matrix-transpose",
                               {18e6, 0.9, 0.022, 0.6, 0.95, 90e6, 1, 110, 5},
                               {Shape::kRowsAllToAll, 200 * kKilo, 0, 1},
                               0.01},
                              {"sweeper",
                               {55e6, 0.8, 0.011, 0.12, 0.75, 12e6, 1.6, 75, 3},
                               {Shape::kWavefront, 6 * kKilo, 0, 6},
                               0.01},
                              {"particles",
                               {60e6, 1.1, 0.008, 0.15, 0.7, 10e6, 1.4, 72, 2},
                               {Shape::kHalo3d, 30 * kKilo, 0.2, 1},
                               0.08},
                              {"graph-walk",
                               {22e6, 0.9, 0.02, 0.3, 0.98, 80e6, 0.8, 64, 1.8},
                               {Shape::kAllToAll, 12 * kKilo, 0, 1},
                               0.06},
                              {"cache-blocked",
                               {80e6, 0.6, 0.016, 0.01, 0.6, 2.6e6, 4, 80, 6},
                               {Shape::kButterfly, 150 * kKilo, 0, 1},
                               0.01},
                              {"reducer",
                               {30e6, 0.65, 0.018, 0.2, 0.9, 16e6, 1.3, 68, 8},
                               {Shape::kAllreduce, 400 * kKilo, 0, 1},
                               0.01},
                              {"chatty",
                               {12e6, 0.8, 0.006, 0.08, 0.7, 3e6, 2, 70, 3},
                               {Shape::kHalo2d, 2 * kKilo, 0, 1},
                               0.01}};
  std::vector<Program> programs = {bound_by_computing()};
  for (const Outline& outline : outlines) programs.push_back(with_norm(outline));
  return programs;
}

}  // namespace huddle::evaluation
