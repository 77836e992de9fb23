#include "aggregator/render/summary/region_counts.hpp"

#include "profiles/formats/profile/event_counts.hpp"

namespace huddle {

void RegionCountSums::add(const std::vector<std::string>& events,
                          const OpenMpRegionRecord& region) {
  if (region.counted_for == 0) return;
  const double all = static_cast<double>(region.passes) / static_cast<double>(region.counted_for);
  const auto counted = [&](std::string_view event) {
    return count_of(events, region.counts, event);
  };
  const auto cycles = counted("cycles");
  if (const auto instructions = counted("instructions"); instructions && cycles) {
    instructions_ += *instructions * all;
    cycles_ += *cycles * all;
  }
  if (const auto misses = counted("cache-misses")) {
    misses_ += *misses * all;
    seconds_ += region.counted_time.value * all;
  }
}

void RegionCountSums::put_into(OpenMpRegionSummary& summary) const {
  if (cycles_ > 0) summary.ipc = instructions_ / cycles_;
  if (seconds_ > 0) summary.misses_per_s = misses_ / seconds_;
}

}  // namespace huddle
