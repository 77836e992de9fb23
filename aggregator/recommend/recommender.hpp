#pragma once

// The one way to recommendations and plans for the command and the planner of jobs.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_parts.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::recommend {

/// Predicted slowdown of a run by computation; below 0 where it would be faster.
struct ComputationSlowdown {
  double likely = 0;
  /// 95 % of such programs are slowed less; absent where the predictor knows no interval.
  std::optional<double> most;
};

/// Recommends patterns for ranks of one shape on nodes of one machine, and makes the plans that
/// carry them out: all that `huddle recommend` and the planner of jobs share. Immutable, so safe
/// from any thread.
class Recommender {
 public:
  /// `node`: the machine's topology. `model`: what was learnt about computation there, if anything.
  /// Throws UsageError if no rank of so many cores fits on a node.
  Recommender(Machine machine, const commgraph::NodeTopology& node, std::uint32_t cores_per_rank,
              std::optional<predict::ComputationModel> model = {});

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const predict::RankShape& rank() const { return rank_; }
  /// The node as the ranks see it: what references are made on.
  [[nodiscard]] const commgraph::NodeTopology& slots() const { return slots_; }
  /// All of the node.
  [[nodiscard]] const NodeShape& node_shape() const { return node_shape_; }
  [[nodiscard]] bool has_model() const { return model_.has_value(); }

  /// See recommend() in recommendation.hpp; the options' model and rank are this object's.
  [[nodiscard]] Recommendation recommend(
      const std::vector<Profile>& profiles, const predict::Reference& reference,
      const RecommendationOptions& options,
      const std::function<void(std::size_t, std::size_t)>& progress = {}) const;

  /// Slowdown of `run`, a complete profile, if its ranks were on nodes that are filled so: how much
  /// longer it would compute on the slowest of them, as a share of its time. Communication is not
  /// looked at. Throws what ComputationPredictor does.
  [[nodiscard]] ComputationSlowdown computation_slowdown(
      const Profile& run, const std::vector<predict::Pattern>& nodes) const;

  /// The plan of the recommendation's chosen pattern, in which ranks that wait for others may run
  /// slower. `profile`: the first one that the recommendation was made from. `made_from` is left
  /// empty. Throws Error if no pattern was feasible.
  [[nodiscard]] Plan plan(const Recommendation& recommendation, const Profile& profile,
                          const ChoiceCriteria& criteria) const;

 private:
  Machine machine_;
  predict::RankShape rank_;
  commgraph::NodeTopology slots_;
  NodeShape node_shape_;
  std::optional<predict::ComputationModel> model_;
};

}  // namespace huddle::recommend
