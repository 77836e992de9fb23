#include "aggregator/planning/detail/samples/unknown_contention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/predict/computation/measured_densities.hpp"
#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle::planning {
namespace {

predict::MeasuredDensities densities_of(const Samples& samples,
                                        const commgraph::NodeTopology& slots) {
  std::vector<const Profile*> runs;
  for (const Profile& profile : samples.profiles) runs.push_back(&profile);
  return {runs, slots};
}

Obstacle what_would_show_it(const PlanRequest& request) {
  using enum Obstacle::Kind;
  if (!request.profiles.empty()) return {.kind = kNameProfile};
  if (request.samples < 2) return {.kind = kAllowSamples};
  if (request.grouping == Grouping::kRankOrder) return {.kind = kSubmitBatch};
  return {.kind = kNoSecondRun};
}

}  // namespace

bool nothing_covers_fewer_nodes(const PlanRequest& request, const std::vector<Samples>& programs,
                                const recommend::Recommender& recommender, std::uint32_t nodes) {
  if (recommender.has_model()) return false;
  std::vector<predict::Pattern> wanted;
  for (const predict::Pattern& pattern : predict::patterns_of(recommender.slots())) {
    const std::uint32_t needed = pattern.nodes_for(request.ranks);
    const bool may_be = !request.shares_nodes ||
                        predict::is_laid_out_by_slurm(pattern, recommender.slots(), request.ranks);
    if (may_be && needed < nodes && needed >= request.least_nodes) wanted.push_back(pattern);
  }
  if (wanted.empty()) return false;
  return std::any_of(programs.begin(), programs.end(), [&](const Samples& samples) {
    const predict::MeasuredDensities densities = densities_of(samples, recommender.slots());
    return std::all_of(wanted.begin(), wanted.end(), [&](const predict::Pattern& pattern) {
      return densities.coverage_of(predict::sharing_of(pattern), false) == Coverage::kNone;
    });
  });
}

bool held_back(const Plan& plan) {
  bool unknown = false;
  for (const PatternForecast& other : plan.runners_up) {
    if (other.nodes >= plan.chosen.nodes) continue;
    if (other.coverage != Coverage::kNone) return false;
    unknown = unknown || other.reason == recommend::kContentionUnknown;
  }
  return unknown;
}

Obstacle unknown_contention(const PlanRequest& request, const Obstacle& second_run) {
  return {.kind = Obstacle::Kind::kContention,
          .name = words_of(second_run ? second_run : what_would_show_it(request))};
}

}  // namespace huddle::planning
