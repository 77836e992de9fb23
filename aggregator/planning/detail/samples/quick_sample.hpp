#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planning/detail/samples/sampling.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::planning {

/// A second measured run that is quick enough.
struct QuickSample {
  /// Absent if no layout is.
  std::optional<SamplingPlan> sample;
  /// The sample's; without one, that of the sparsest layout; absent without a model, or any layout.
  std::optional<recommend::ComputationSlowdown> slowdown;
};

/// The fullest layout in `room` (sampling_plan()) that the recommender's model predicts to slow
/// down the program of `submitted` by at most `most_slowdown`, a share of its time; without a
/// model, the fullest. `together`: see sampling_plan(). Throws what
/// Recommender::computation_slowdown() does.
QuickSample quick_sample(const Profile& submitted, const recommend::Recommender& recommender,
                         SampleRoom room, const std::vector<std::uint32_t>& together,
                         double most_slowdown);

/// A phrase for people about what the run may cost, to follow the plan's reason; empty if it is not
/// expected to take longer.
std::string cost_phrase(const std::optional<recommend::ComputationSlowdown>& slowdown);

}  // namespace huddle::planning
