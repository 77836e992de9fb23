#include "aggregator/recommend/recommender.hpp"

#include <utility>

#include "aggregator/recommend/detail/program_predictor.hpp"
#include "aggregator/recommend/plan_making.hpp"

namespace huddle::recommend {

Recommender::Recommender(Machine machine, const commgraph::NodeTopology& node,
                         std::uint32_t cores_per_rank,
                         std::optional<predict::ComputationModel> model)
    : machine_(std::move(machine)),
      rank_(predict::shape_of_rank(cores_per_rank, node)),
      slots_(predict::slots_of_node(node, rank_)),
      node_shape_{node.packages, static_cast<std::uint32_t>(node.cores.size()) / node.pus_per_core},
      model_(std::move(model)) {}

Recommendation Recommender::recommend(
    const std::vector<Profile>& profiles, const predict::Reference& reference,
    const RecommendationOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress) const {
  RecommendationOptions ours = options;
  ours.model = model_ ? &*model_ : nullptr;
  ours.rank = rank_;
  return huddle::recommend::recommend(profiles, machine_, slots_, reference, ours, progress);
}

ComputationSlowdown Recommender::computation_slowdown(
    const Profile& run, const std::vector<predict::Pattern>& nodes) const {
  const predict::ComputationPredictor predictor =
      predictor_of_program({&run}, machine_, slots_, model_ ? &*model_ : nullptr);
  predict::ComputationForecast slowest;
  for (const predict::Pattern& pattern : nodes)
    if (const predict::ComputationForecast forecast = predictor.on(pattern);
        forecast.time >= slowest.time)
      slowest = forecast;
  const auto slowdown_at = [&](std::optional<Seconds> computation) {
    return computation
               ? std::optional((*computation - run.mean_computation_time()) / run.run_time())
               : std::nullopt;
  };
  return {*slowdown_at(slowest.time), slowdown_at(slowest.high)};
}

Plan Recommender::plan(const Recommendation& recommendation, const Profile& profile,
                       const ChoiceCriteria& criteria) const {
  Plan plan = plan_of(recommendation, profile, slots_, criteria.grouping);
  set_slack_frequencies(plan, profile, machine_, slots_, criteria);
  if (recommendation.by_load) {
    Plan by_load = plan_by_load(recommendation, profile, slots_, criteria.grouping);
    set_slack_frequencies(by_load, profile, machine_, slots_, criteria);
    if (takes_by_load(plan, by_load, recommendation.by_load_saves, criteria)) {
      plan = std::move(by_load);
      plan.reason += "; ranks with like loads share a clock";
    }
  }
  plan.node_shape = node_shape_;
  return plan;
}

}  // namespace huddle::recommend
