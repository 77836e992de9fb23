#include "aggregator/render/summary/region_counts.hpp"

#include "profiles/formats/profile/event_counts.hpp"

namespace huddle::render {
namespace {

constexpr std::uint64_t kFewest = 8;

}  // namespace

void RegionCountSums::add(const std::vector<std::string>& events,
                          const OpenMpRegionRecord& region) {
  passes_ += region.passes;
  read_ += region.counted_passes;
  counted_for_ += region.counted_for;
  if (region.counted_for == 0) return;
  if (const auto both = counts_of_both(events, region.counts, "instructions", "cycles")) {
    instructions_ += both->first;
    cycles_ += both->second;
  }
  if (const auto misses = count_of(events, region.counts, "cache-misses")) {
    misses_ += *misses;
    seconds_ += region.counted_time.value;
  }
}

void RegionCountSums::put_into(OpenMpRegionSummary& summary) const {
  // A few passes of many may be unlike the others.
  if (read_ < kFewest && counted_for_ < passes_ / 2) return;
  if (cycles_ > 0) summary.ipc = instructions_ / cycles_;
  if (seconds_ > 0) summary.misses_per_s = misses_ / seconds_;
}

}  // namespace huddle::render
