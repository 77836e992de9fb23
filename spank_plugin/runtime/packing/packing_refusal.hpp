#pragma once

#include <string>

#include "profiles/vocabulary/environment.hpp"

namespace huddle::runtime {

/// Why the threads of a process with this environment must not be packed, for people; empty if they
/// may be. Users who say where threads run (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY,
/// KMP_AFFINITY) are obeyed. Where threads of libgomp look for work for long before they sleep
/// (GOMP_SPINCOUNT, OMP_WAIT_POLICY), packed ones would keep each other from their PU: a region of
/// 30 us took 8 ms (docs/decisions/0069-how-threads-wait.md); likewise where libomp's don't yield
/// (KMP_USE_YIELD). `libgomp`: whether that is the only runtime whose regions are seen.
std::string why_not_packed(const Environment& environment, bool libgomp);

/// True if threads of libgomp look for work for so long that they must not share a PU.
bool spins_for_long(const Environment& environment);

}  // namespace huddle::runtime
