#include "aggregator/planning/detail/samples/quick_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace huddle::planning {

namespace {

// What is likely without a model is what is usual, and shows nothing of this program: then only
// what the interval leaves out does.
double shown_slowdown(const recommend::ComputationSlowdown& slowdown, bool has_model) {
  return has_model ? slowdown.likely : slowdown.least.value_or(slowdown.likely);
}

}  // namespace

QuickSample quick_sample(const Profile& submitted, const recommend::Recommender& recommender,
                         SampleRoom room, const std::vector<std::uint32_t>& together,
                         double most_slowdown) {
  QuickSample quick;
  while (std::optional<SamplingPlan> sample =
             sampling_plan(submitted, recommender.machine(), recommender.slots(), room,
                           recommender.rank(), together)) {
    quick.slowdown = recommender.computation_slowdown(submitted, sample->nodes);
    if (shown_slowdown(*quick.slowdown, recommender.has_model()) <= most_slowdown) {
      quick.sample = std::move(sample);
      break;
    }
    room.ranks_per_node = sample->plan.chosen.ranks_per_node - 1;
  }
  return quick;
}

std::string cost_phrase(const recommend::ComputationSlowdown& slowdown) {
  constexpr double kNothing = 0.005;
  constexpr double kSaysNothing = 9;
  if (!slowdown.most || *slowdown.most > kSaysNothing) return ", and may take longer";
  if (*slowdown.most < kNothing) return {};
  return fmt::format(", and may take longer (most likely {:.0f} %, up to {:.0f} %)",
                     std::max(slowdown.likely, 0.0) * 100, std::ceil(*slowdown.most * 100));
}

}  // namespace huddle::planning
