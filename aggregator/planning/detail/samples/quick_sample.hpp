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
  /// Of the sample; without one, of the sparsest layout; absent if there is no layout at all.
  std::optional<recommend::ComputationSlowdown> slowdown;
};

/// The fullest layout in `room` (sampling_plan()) of which nothing shows that it slows down the
/// program of `submitted` by more than `most_slowdown`, a share of its time: a model's prediction,
/// or, without one, all of the interval. `together`: see sampling_plan().
/// Throws what Recommender::computation_slowdown() does.
QuickSample quick_sample(const Profile& submitted, const recommend::Recommender& recommender,
                         SampleRoom room, const std::vector<std::uint32_t>& together,
                         double most_slowdown);

/// A phrase for people about what the run may cost, to follow the plan's reason; empty if it is not
/// expected to take longer.
std::string cost_phrase(const recommend::ComputationSlowdown& slowdown);

}  // namespace huddle::planning
