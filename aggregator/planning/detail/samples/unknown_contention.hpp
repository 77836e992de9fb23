#pragma once

// Jobs of which nothing shows what more ranks on a node do to each other.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// True if a job of `nodes` nodes could use fewer, and neither a model nor the runs of one of its
/// programs cover any pattern that does (measured_densities.hpp).
bool nothing_covers_fewer_nodes(const PlanRequest& request, const std::vector<Samples>& programs,
                                const recommend::Recommender& recommender, std::uint32_t nodes);

/// True if a plan uses as many nodes as it does because contention is unknown on all patterns of
/// fewer.
bool held_back(const Plan& plan);

/// Obstacle of such a job, and what would change it. `second_run`: why no second run is measured
/// that would show it, if that is known better here.
Obstacle unknown_contention(const PlanRequest& request, const Obstacle& second_run = {});

}  // namespace huddle::planning
