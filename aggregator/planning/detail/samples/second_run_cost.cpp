#include "aggregator/planning/detail/samples/second_run_cost.hpp"

#include <fmt/format.h>

#include "aggregator/planning/detail/plans/job_plans.hpp"

namespace huddle::planning {

std::string words_of(const std::optional<RunCost>& cost) {
  constexpr double kNoticed = 0.01;
  constexpr double kInPercent = 3;  // beyond, a number would promise too much
  if (!cost || cost->most < kNoticed) return {};
  if (cost->most > kInPercent) return "; it may take several times as long";
  return fmt::format("; it may take up to {:.0f} % longer", cost->most * 100);
}

SecondRunCosts::SecondRunCosts(const PlanRequest& request, const Samples& samples,
                               const recommend::Recommender& recommender, const JobOrder& order) {
  PlanTerms terms = plan_terms(request, samples, recommender, order);
  terms.options.only_until_chosen = false;
  terms.options.least_nodes = 1;
  const recommend::Recommendation found =
      recommender.recommend(samples.profiles, terms.reference, terms.options);
  reference_ = found.reference_forecast;
  for (const recommend::Candidate& candidate : found.candidates)
    patterns_.push_back(candidate.forecast);
}

std::optional<RunCost> SecondRunCosts::of(std::uint32_t ranks_per_node) const {
  std::optional<RunCost> worst;
  for (const PatternForecast& pattern : patterns_) {
    if (pattern.ranks_per_node != ranks_per_node || !pattern.time_low || !pattern.time_high)
      continue;
    const RunCost cost{*pattern.time_low / reference_.time - 1,
                       *pattern.time_high / reference_.time - 1};
    if (!worst || cost.most > worst->most) worst = cost;
  }
  return worst;
}

}  // namespace huddle::planning
