#pragma once

#include "profiles/formats/machine.hpp"
#include "tests/evaluation/run_store.hpp"

namespace huddle::evaluation {

/// The machine document that a calibration on the cluster would make: topology, memory, and what
/// messages between two ranks of an otherwise idle machine take.
Machine measured_machine(const Cluster& cluster, const RunStore& runs);

}  // namespace huddle::evaluation
