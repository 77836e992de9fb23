#pragma once

#include "profiles/formats/machine/machine.hpp"
#include "tests/evaluation/run_store.hpp"

namespace huddle::evaluation {

/// The machine document that a calibration on the cluster would make: topology, memory, what
/// messages take at each distance among 1, 2, 4 ... pairs, and what collectives take on every
/// pattern among a few numbers of ranks.
Machine measured_machine(const Cluster& cluster, const RunStore& runs);

}  // namespace huddle::evaluation
