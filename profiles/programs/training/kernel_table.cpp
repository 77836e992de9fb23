#include "profiles/programs/training/kernel_table.hpp"

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      {"dense-multiply", "computing", dense_multiply, 0, Shape::kAllreduce, 64},
      {"monte-carlo", "computing", monte_carlo, 0, Shape::kAllreduce, 512},
      {"polynomial", "computing", polynomial, 0, Shape::kHalo2d, 2 * kKiB},
      {"pointer-chase", "latency", pointer_chase, 64 * kMiB, Shape::kHalo2d, 20 * kKiB},
      {"random-gather", "latency", random_gather, 96 * kMiB, Shape::kHalo3d, 30 * kKiB},
      {"hash-lookup", "latency", hash_lookup, 32 * kMiB, Shape::kButterfly, 8 * kKiB},
      {"graph-walk", "latency", graph_walk, 64 * kMiB, Shape::kAllToAll, 4 * kKiB},
      {"triad", "bandwidth", triad, 96 * kMiB, Shape::kHalo3d, 60 * kKiB},
      {"copy", "bandwidth", copy, 64 * kMiB, Shape::kRing, 32 * kKiB},
      {"dot-product", "bandwidth", dot_product, 64 * kMiB, Shape::kAllreduce, 200 * kKiB},
      {"transpose", "bandwidth", transpose, 32 * kMiB, Shape::kRowsAllToAll, 100 * kKiB},
      {"stencil-large", "bandwidth", stencil, 64 * kMiB, Shape::kHalo3d, 300 * kKiB},
      {"stencil-small", "cache", blocked_stencil, 3 * kMiB, Shape::kHalo2d, 80 * kKiB},
      {"stencil-blocked", "cache", blocked_stencil, 1 * kMiB, Shape::kButterfly, 100 * kKiB},
      {"sweep", "cache", sweep, 6 * kMiB, Shape::kWavefront, 6 * kKiB},
      {"fourier", "cache", fourier, 6 * kMiB, Shape::kAllToAll, 40 * kKiB},
      {"sparse-product", "cache", sparse_product, 16 * kMiB, Shape::kButterfly, 45 * kKiB},
      {"radix-sort", "cache", radix_sort, 6 * kMiB, Shape::kAllreduce, 2 * kKiB},
  };
  return kernels;
}

const Kernel* kernel_named(std::string_view name) {
  for (const Kernel& kernel : all_kernels())
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace huddle::calibration
