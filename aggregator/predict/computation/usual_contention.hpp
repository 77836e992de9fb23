#pragma once

// The model that is assumed of a machine on which nothing was learnt.

#include <cstdint>
#include <span>

#include "aggregator/predict/computation/shared_model.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// The shared-resource model of a machine without training: every mechanism of contention counts
/// alike, and programs may demand whatever programs do. With `streams` (Machine::memory_streams),
/// the share of a die's, a package's and a node's bandwidth that one rank can take is as measured
/// by them; without, it is one of several that nodes have, and predictions are less certain.
/// `clock`: as counted; one that is not known may be steady or fall. `numa_nodes`: how many NUMA
/// nodes share a package's bandwidth evenly, if dies belong to them.
SharedModel usual_contention(std::span<const MemoryStream> streams, const ClockCurve& clock = {},
                             std::uint32_t numa_nodes = 0);

}  // namespace huddle
