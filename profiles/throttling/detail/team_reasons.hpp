#pragma once

#include "profiles/throttling/detail/team_model.hpp"
#include "profiles/throttling/team_strategy.hpp"

namespace huddle::teams {

/// plan.decisions for plan.choice, with a sentence each. plan.before, after and changes are known.
void explain(const Model& model, const TeamStrategyOptions& options, TeamPlan& plan);

}  // namespace huddle::teams
