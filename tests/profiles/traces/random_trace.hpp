#pragma once

#include <cstdint>

#include "tests/profiles/traces/sample_trace.hpp"

namespace huddle::traces {

/// A trace of some ranks, threads and communicators, with calls of every kind in random order; the
/// same for the same seed. What a message says is not what another one does: for readers and
/// writers, not for analyses.
SampleTrace random_trace(std::uint64_t seed);

}  // namespace huddle::traces
