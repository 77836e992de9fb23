#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace huddle::calibration {

/// The computation of one rank of a training kernel, the same on every rank and for every number of
/// ranks. A pass is the work of one iteration; how much that is depends on its factory.
///
/// Nothing in here knows MPI. An object is used by one thread.
class Computation {
 public:
  Computation() = default;
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  /// Part `part` of `parts` of pass `pass`. Passes are numbered from 0, none is left out, and all
  /// parts of a pass come in order. Only a computation that a wavefront runs through has more than
  /// one part.
  virtual void compute(std::uint64_t pass, unsigned part, unsigned parts) = 0;
  /// After `passes` whole passes: what is wrong with the result, found and expected; empty if it is
  /// right.
  [[nodiscard]] virtual std::string wrong(std::uint64_t passes) const = 0;
};

using ComputationPtr = std::unique_ptr<Computation>;

/// "NAME: found X, expected Y", as wrong() returns it.
std::string difference(const char* what, double found, double expected);
/// The same for whole numbers.
std::string difference(const char* what, std::uint64_t found, std::uint64_t expected);

/// Pseudo-random numbers x -> a x + c modulo 2^64 (Knuth's MMIX), or modulo a smaller power of two,
/// where they go through every number once before they repeat. The number after any count of
/// steps can be computed directly: that is how kernels know what they should have found.
struct Sequence {
  static constexpr std::uint64_t kFactor = 6364136223846793005U;
  static constexpr std::uint64_t kSummand = 1442695040888963407U;

  static constexpr std::uint64_t next(std::uint64_t x) { return kFactor * x + kSummand; }

  /// next() applied `steps` times, by repeated squaring.
  static constexpr std::uint64_t after(std::uint64_t x, std::uint64_t steps) {
    std::uint64_t factor = kFactor;
    std::uint64_t summand = kSummand;
    for (; steps > 0; steps >>= 1U) {
      if ((steps & 1U) != 0) x = factor * x + summand;
      summand = (factor + 1) * summand;
      factor = factor * factor;
    }
    return x;
  }

  /// The upper bits of a number, which are the random ones.
  static constexpr std::uint64_t upper(std::uint64_t x) { return x >> 32U; }
};

/// The largest power of two that is at most `number`, which is 1 or more.
constexpr std::uint64_t power_of_two_below(std::uint64_t number) {
  std::uint64_t power = 1;
  while (power <= number / 2) power *= 2;
  return power;
}

/// One function for each computation. `footprint` is about how many bytes it goes through over and
/// over; the work of a pass depends on it only where its comment says so.

// Bound by computing: kernel_computing.cpp. The footprint is not used.

/// 24 products of 48 x 48 matrices, in the first cache: 5.3 million floating-point operations.
ComputationPtr dense_multiply(std::size_t footprint);
/// 500,000 pseudo-random points, of which those inside a circle are counted.
ComputationPtr monte_carlo(std::size_t footprint);
/// Chebyshev polynomials of degree 400 at 1,600 points, in registers: 1.3 million multiply-adds,
/// each of which waits for the one before.
ComputationPtr polynomial(std::size_t footprint);

// Bound by the latency of memory: kernel_latency.cpp.

/// 20,000 steps along a chain of cache lines, each step known only after the one before.
ComputationPtr pointer_chase(std::size_t footprint);
/// 100,000 reads at random places that are known beforehand.
ComputationPtr random_gather(std::size_t footprint);
/// 25,000 lookups in a hash table with open addresses that is half full.
ComputationPtr hash_lookup(std::size_t footprint);
/// 8 walkers take 4,000 steps each through a random graph with 8 edges a vertex.
ComputationPtr graph_walk(std::size_t footprint);

// Bound by the bandwidth of memory: kernel_bandwidth.cpp. A pass goes through the footprint once.

/// a = b + s c over three arrays (STREAM's triad): 2 operations for 24 bytes.
ComputationPtr triad(std::size_t footprint);
/// One array into another.
ComputationPtr copy(std::size_t footprint);
/// Products of two arrays, summed up: nothing is written.
ComputationPtr dot_product(std::size_t footprint);
/// A square matrix, transposed in tiles of 8 x 8.
ComputationPtr transpose(std::size_t footprint);

// In the cache as long as there is enough of it: kernel_stencils.cpp and kernel_caches.cpp.

/// One sweep of Jacobi's method over a cube, 7 points each: 7 operations for 16 bytes.
ComputationPtr stencil(std::size_t footprint);
/// As many sweeps over a smaller cube as make 2 million points.
ComputationPtr blocked_stencil(std::size_t footprint);
/// Differences along both axes of a square, each point known only after its left and upper
/// neighbours; may come in parts, for wavefronts. As many sweeps as make 1 million points.
ComputationPtr sweep(std::size_t footprint);
/// One Fourier transform of a power of two of complex numbers: passes of doubling stride.
ComputationPtr fourier(std::size_t footprint);
/// One product of a sparse matrix, 8 entries a row at random columns, with a vector.
ComputationPtr sparse_product(std::size_t footprint);
/// One radix sort of 32-bit keys: 4 histograms and 4 scatters.
ComputationPtr radix_sort(std::size_t footprint);

}  // namespace huddle::calibration
