#pragma once

#include <cstdint>

#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {

struct RandomTracedProgram {
  std::uint64_t seed = 1;
  std::uint32_t ranks = 4;
  std::uint32_t steps = 200;
  std::uint32_t threads = 1;       ///< of rank 0
  std::uint64_t largest_skew = 0;  ///< ticks that clocks are wrong by
};

/// The trace of a program made at random that MPI allows: messages of all kinds, collectives on
/// several communicators, windows, teams of threads; times are as a simple machine would have them.
MemoryTrace random_trace(const RandomTracedProgram& program);

/// Cuts the ends of its locations off, at random.
void cut_off(MemoryTrace& trace, std::uint64_t seed);

}  // namespace huddle::waitstates
