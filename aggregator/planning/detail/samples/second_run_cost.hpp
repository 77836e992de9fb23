#pragma once

// The time that a second measured run may take, before it is known how its ranks slow each other.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planning/detail/plans/job_order.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// How much longer than the job as submitted a run may take, as a share of its time: 0.3 is 30 %
/// longer. With 90 % probability it takes at least `least` and at most `most`.
struct RunCost {
  double least = 0;
  double most = 0;
};

/// A clause for the job's user, with its beginning; empty where nothing is known, or to be lost.
std::string words_of(const std::optional<RunCost>& cost);

/// Predictions of what runs cost that are as dense as a second run's densest node, which all others
/// wait for. Without a model they rest on how programs usually slow each other
/// (ComputationMethod::kPrior), and are wide. Immutable.
class SecondRunCosts {
 public:
  /// Predicts all patterns of the program that `samples` are of.
  SecondRunCosts(const PlanRequest& request, const Samples& samples,
                 const recommend::Recommender& recommender, const JobOrder& order);

  /// The worst of the patterns with so many ranks on a node; nothing if none is predicted.
  [[nodiscard]] std::optional<RunCost> of(std::uint32_t ranks_per_node) const;

 private:
  PatternForecast reference_;
  std::vector<PatternForecast> patterns_;
};

}  // namespace huddle::planning
