#pragma once

#include <optional>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// Rates over the whole run, time inside MPI included. Absent where a rank did not count what they
/// are made of.
struct CounterRates {
  /// Instructions per cycle of a core, of all ranks together.
  std::optional<double> ipc = std::nullopt;
  /// Bytes that all ranks together fetched from memory, by the misses of the last cache: a line of
  /// 64 bytes each, as on x86-64 and most others. What a prefetcher fetches may not be in it.
  std::optional<BytesPerSecond> memory = std::nullopt;
};

CounterRates counter_rates_of(const Profile& profile);

/// Counts of a run's computation, all ranks together: by the phases whose passes were counted, for
/// all of it.
struct ComputationCounts {
  double instructions = 0;
  double cycles = 0;
  /// The computation's time, so that `cycles` over this is the clock as POP has it: cycles in a
  /// second of useful time.
  Seconds time;
};

/// Nothing for profiles without these counters on all ranks; of programs with threads, whose counts
/// hold those of threads that wait; and where less than four fifths of the computation were in
/// phases that were counted, or more than a tenth of these was inside MPI, whose calls spin.
std::optional<ComputationCounts> computation_counts_of(const Profile& profile);

}  // namespace huddle::efficiency
