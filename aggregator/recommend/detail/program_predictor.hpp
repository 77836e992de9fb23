#pragma once

#include <optional>
#include <vector>

#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/computation/training.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/computation_method.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recommend {

/// Predicts the computation of the program that `runs` are complete profiles of, one or more.
/// `node`: slots_of_node() for ranks of several cores. `model`: null if nothing was learnt.
/// `method` and `core_time`: see PredictorOptions. Throws what ComputationPredictor and
/// samples_of_program() do.
predict::ComputationPredictor predictor_of_program(const std::vector<const Profile*>& runs,
                                                   const Machine& machine,
                                                   const commgraph::NodeTopology& node,
                                                   const predict::ComputationModel* model,
                                                   std::optional<ComputationMethod> method = {},
                                                   std::optional<Seconds> core_time = {});

}  // namespace huddle::recommend
