#pragma once

#include "profiles/throttling/detail/team_model.hpp"
#include "profiles/throttling/team_prediction.hpp"

namespace huddle::teams {

/// predict_team_program() for a program that is resolved, and a choice that fits it.
TeamPrediction predict(const Model& model, const TeamChoice& choice);

}  // namespace huddle::teams
