#include "aggregator/planning/detail/samples/quick_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace huddle::planning {

QuickSample quick_sample(const Profile& submitted, const recommend::Recommender& recommender,
                         SampleRoom room, const std::vector<std::uint32_t>& together,
                         double most_slowdown) {
  QuickSample quick;
  while (std::optional<SamplingPlan> sample =
             sampling_plan(submitted, recommender.machine(), recommender.slots(), room,
                           recommender.rank(), together)) {
    // Without a model, usual contention shows nothing for certain, and takes a second to compute.
    if (!recommender.has_model()) {
      quick.sample = std::move(sample);
      break;
    }
    quick.slowdown = recommender.computation_slowdown(submitted, sample->nodes);
    if (quick.slowdown->likely <= most_slowdown) {
      quick.sample = std::move(sample);
      break;
    }
    room.ranks_per_node = sample->plan.chosen.ranks_per_node - 1;
  }
  return quick;
}

std::string cost_phrase(const std::optional<recommend::ComputationSlowdown>& slowdown) {
  constexpr double kNothing = 0.005;
  constexpr double kSaysNothing = 9;
  if (!slowdown || !slowdown->most || *slowdown->most > kSaysNothing)
    return ", and may take longer";
  if (*slowdown->most < kNothing) return {};
  return fmt::format(", and may take longer (most likely {:.0f} %, up to {:.0f} %)",
                     std::max(slowdown->likely, 0.0) * 100, std::ceil(*slowdown->most * 100));
}

}  // namespace huddle::planning
