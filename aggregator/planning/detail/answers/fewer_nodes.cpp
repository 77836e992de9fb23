#include "aggregator/planning/detail/answers/fewer_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

#include "aggregator/recommend/prediction_text.hpp"
#include "aggregator/recommend/recommendation.hpp"

namespace huddle::planning {
namespace {

using Patterns = std::vector<const PatternForecast*>;

template <class Is>
Patterns those(const Patterns& patterns, Is is) {
  Patterns found;
  std::copy_if(patterns.begin(), patterns.end(), std::back_inserter(found),
               [&](const PatternForecast* pattern) { return is(*pattern); });
  return found;
}

Patterns on_fewer_nodes(const Predictions& predictions) {
  Patterns fewer;
  for (const PatternForecast& pattern : predictions.patterns)
    if (pattern.nodes < predictions.reference.nodes) fewer.push_back(&pattern);
  return fewer;
}

const PatternForecast& nearest_of(const Patterns& patterns) {
  return **std::min_element(
      patterns.begin(), patterns.end(), [](const PatternForecast* a, const PatternForecast* b) {
        const auto key = [](const PatternForecast& pattern) {
          return std::tuple(pattern.coverage == Coverage::kNone, pattern.slowdown, pattern.nodes);
        };
        return key(*a) < key(*b);
      });
}

std::string words_for(Objective objective) {
  return objective == Objective::kEdp ? "energy times time" : std::string(name_of(objective));
}

}  // namespace

Predictions predictions_of(const Plan& plan) {
  return {plan.reference, plan.runners_up};
}

Predictions predictions_of(const recommend::Recommendation& recommendation) {
  Predictions predictions{recommendation.reference_forecast, {}};
  for (const recommend::Candidate& candidate : recommendation.candidates)
    predictions.patterns.push_back(candidate.forecast);
  return predictions;
}

Obstacle no_fewer_nodes(const PlanRequest& request, const Predictions& predictions) {
  using enum Obstacle::Kind;
  const PatternForecast& reference = predictions.reference;
  const double bound = request.slowdown * 100;
  const Patterns fewer = on_fewer_nodes(predictions);
  if (fewer.empty()) return {.kind = kFewestNodes, .count = reference.nodes};
  if (const Patterns within =
          those(fewer, [](const PatternForecast& pattern) { return pattern.feasible; });
      !within.empty()) {
    const PatternForecast& nearest = nearest_of(within);
    return {.kind = kNoGain,
            .name = recommend::energy_and_time_text(nearest, reference),
            .by = words_for(request.objective),
            .count = nearest.nodes};
  }
  if (const Patterns misses = those(fewer, recommend::is_refused_for_time); !misses.empty()) {
    const PatternForecast& nearest = nearest_of(misses);
    return {.kind = kNearestMiss,
            .name = recommend::change_text(nearest, reference),
            .count = nearest.nodes,
            .percent = bound};
  }
  const Patterns without_room = those(fewer, [](const PatternForecast& pattern) {
    return !recommend::is_refused_for_least_nodes(pattern);
  });
  if (!without_room.empty()) {
    const PatternForecast& nearest =
        **std::max_element(without_room.begin(), without_room.end(),
                           [](const auto* a, const auto* b) { return a->nodes < b->nodes; });
    return {.kind = kNoRoom, .name = nearest.reason, .count = nearest.nodes};
  }
  // Beyond the request's own least, other programs of the job need as many.
  const bool asked = std::all_of(fewer.begin(), fewer.end(), [&](const PatternForecast* pattern) {
    return pattern->nodes < request.least_nodes;
  });
  if (!asked) return {.kind = kOtherPrograms, .percent = bound};
  return {.kind = kLeastNodes, .count = std::min(request.least_nodes, reference.nodes)};
}

}  // namespace huddle::planning
