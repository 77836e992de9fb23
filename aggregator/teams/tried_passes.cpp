#include "aggregator/teams/tried_passes.hpp"

#include <algorithm>

namespace huddle {

bool says_how_long(const PackedRegionRecord& record) {
  return record.usual_passes > 0 && record.usual_mean.value > 0 && record.mean.value > 0;
}

std::uint64_t passes_acted_on(const PackedRegionRecord& record) {
  return record.passes > record.usual_passes ? record.passes : 0;
}

Profile with_acted_passes(Profile profile) {
  for (RankRecord& rank : profile.rank_records)
    for (PackedRegionRecord& packed : rank.packed_regions) {
      if (packed.acted_passes > 0 || passes_acted_on(packed) == 0) continue;
      packed.acted_passes = packed.passes;
      packed.acted_mean = packed.mean;
    }
  return profile;
}

double share_as_started(const RankRecord& record, std::uint64_t region) {
  Seconds all;
  for (const OpenMpRegionRecord& row : record.openmp_regions)
    if (row.region == region) all += row.mean * static_cast<double>(row.passes);
  if (all.value <= 0) return 1;
  Seconds saved;
  double least = 1;
  double most = 1;
  const auto add = [&](const PackedRegionRecord& tried, std::uint64_t passes, Seconds mean) {
    if (tried.region != region || passes == 0 || !says_how_long(tried)) return;
    const double longer = tried.usual_mean / tried.mean;
    saved += mean * (static_cast<double>(passes) * (longer - 1));
    least = std::min(least, longer);
    most = std::max(most, longer);
  };
  for (const PackedRegionRecord& packed : record.packed_regions)
    add(packed, packed.acted_passes, packed.acted_mean);
  for (const PackedRegionRecord& smaller : record.smaller_teams)
    add(smaller, passes_acted_on(smaller), smaller.mean);
  return std::clamp((all + saved) / all, least, most);
}

}  // namespace huddle
