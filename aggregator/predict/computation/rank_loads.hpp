#pragma once

#include <vector>

#include "aggregator/predict/computation/predictor.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Returns each rank's computation over the mean of the ranks: its share of the problem, whatever
/// slows it down on its place. By rank, mean 1.
///
/// In each run it is the rank's time over what `predictor` says of ranks that share as it did; of
/// several runs the mean counts. Runs in which all ranks share alike need no prediction, and if
/// there are such, only they count. All 1 where nothing shows it: no run whose ranks stayed on a
/// die, or one without computation. `runs`: complete profiles of equally many ranks, one or more,
/// on nodes of this topology.
std::vector<double> rank_loads(const std::vector<const Profile*>& runs, const NodeTopology& node,
                               const ComputationPredictor& predictor);

}  // namespace huddle
