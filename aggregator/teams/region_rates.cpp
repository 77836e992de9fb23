#include "aggregator/teams/region_rates.hpp"

#include "profiles/formats/profile/event_counts.hpp"

namespace huddle {

std::vector<double> event_rates_of(const std::vector<std::string>& events,
                                   const OpenMpRegionRecord& region) {
  const auto cycles = count_of(events, region.counts, "cycles");
  if (!cycles || !(*cycles > 0)) return {};
  std::vector<double> rates;
  for (const char* const event : {"instructions", "cache-references", "cache-misses"}) {
    const auto count = count_of(events, region.counts, event);
    if (!count) return {};
    rates.push_back(*count / *cycles);
  }
  return rates;
}

}  // namespace huddle
