#include "aggregator/planning/detail/plans/requested_frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace huddle {
namespace {

std::uint32_t kilohertz(Hertz frequency) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(frequency.value / 1e3, 1.0, 1e9)));
}

}  // namespace

bool any_frequency(const FrequencyRange& range) {
  return range.lowest <= Hertz{0} && !std::isfinite(range.highest.value);
}

std::optional<KilohertzRange> limits_for(const Plan& plan, const PlanRequest& request) {
  if (!request.frequencies) return std::nullopt;
  const bool any = any_frequency(*request.frequencies);
  if (!plan.frequency) {
    if (any) return std::nullopt;
    // Nothing could be planned: what was asked for counts.
    return KilohertzRange{kilohertz(request.frequencies->lowest),
                          kilohertz(request.frequencies->highest)};
  }
  const std::vector<Hertz> by_rank = plan.frequencies_by_rank();
  const Hertz lowest = *std::min_element(by_rank.begin(), by_rank.end());
  if (any && lowest == plan.frequency && plan.frequency == plan.reference.frequency)
    return std::nullopt;
  return KilohertzRange{kilohertz(lowest), kilohertz(*plan.frequency)};
}

}  // namespace huddle
