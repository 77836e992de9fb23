#pragma once

// The order in which the ranks of a job's steps are put on nodes. A step may leave files on a
// node's own disk for the next one, so all steps of a job have one order.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// The order of ranks that a job's steps require.
struct JobOrder {
  /// With kRankOrder ranks that shared a node as submitted share one still, unless nothing else was
  /// asked for.
  Grouping grouping = Grouping::kMapped;
  /// Why ranks can't be grouped as they talk; none if they can, or if nothing else was asked for.
  Obstacle obstacle = {};
  /// The numbers of tasks of those steps that are not the job's ranks, without repetition.
  std::vector<std::uint32_t> other_tasks = {};

  [[nodiscard]] bool keeps_nodes_whole() const { return bool(obstacle); }
};

/// One order for all that the measured jobs ran: rank order, unless each of their steps of several
/// tasks was of one program, with all ranks, and so has one order anyway. Steps of one task are on
/// the first node, whatever is done, and steps that their user places go where that says.
JobOrder order_of_job(const PlanRequest& request, const std::vector<Samples>& programs,
                      const StepSurvey& survey);

/// The number of ranks on each node, where consecutive ones are on one node after the other; else
/// empty.
std::vector<std::uint32_t> consecutive_ranks(const predict::Reference& reference);

/// Finds a step of the job that could not go where it belongs by this plan.
Obstacle parted_steps(const Plan& plan, const JobOrder& order);

}  // namespace huddle::planning
