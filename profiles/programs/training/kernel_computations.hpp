#pragma once

#include <cstddef>

#include "profiles/programs/training/kernel.hpp"

namespace huddle::calibration {

/// One function for each computation. `footprint` is about how many bytes it goes through over and
/// over; the work of a pass is said here, and depends on the footprint only where that is said.

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
