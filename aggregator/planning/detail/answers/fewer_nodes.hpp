#pragma once

// Why a job gets no fewer nodes, with the number that came nearest.

#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// The predictions for one program of a job that is not packed.
struct Predictions {
  /// The job as submitted.
  PatternForecast reference;
  /// Patterns, among them all on fewer nodes that were looked at.
  std::vector<PatternForecast> patterns;
};

/// The predictions that a plan was chosen by.
Predictions predictions_of(const Plan& plan);

/// Those of a recommendation, which may have no feasible pattern.
Predictions predictions_of(const recommend::Recommendation& recommendation);

/// Names the nearest miss: of the patterns on fewer nodes that would break the bound the quickest
/// one, first of those that a run or a model covers; else what rules fewer nodes out, or that they
/// gain nothing.
Obstacle no_fewer_nodes(const PlanRequest& request, const Predictions& predictions);

}  // namespace huddle::planning
