#pragma once

// Plans for jobs that keep their nodes for what these have: see PlanRequest::keeps_nodes.

#include <string>
#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// The least that another grouping must save of the bytes between nodes to be worth it: the
/// messages inside of collectives are an estimate.
inline constexpr double kLeastSaved = 0.05;

/// The plans of a job's programs, in that order, or why there is none.
struct GroupedPlans {
  std::vector<Plan> plans;
  /// None with plans.
  Obstacle obstacle;
};

/// True if the job keeps its one node, or asks for no number of nodes and Slurm gave it one: no
/// fewer can be had.
bool stays_on_one_node(const PlanRequest& request, const Profile& measured);

/// Groups the ranks of each program on the nodes that the job keeps, or on the dies of its one
/// node. `survey`: of the measured job.
/// If the request wants frequencies and there is one program, its plan has those that a job on the
/// same pattern would get; if it wants every pattern, its plan lists them.
GroupedPlans make_grouped_plans(const PlanRequest& request, const std::vector<Samples>& programs,
                                const StepSurvey& survey,
                                const recommend::Recommender& recommender);

}  // namespace huddle::planning
