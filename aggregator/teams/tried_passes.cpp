#include "aggregator/teams/tried_passes.hpp"

#include <algorithm>

namespace huddle {

bool says_how_long(const PackedRegionRecord& record) {
  return record.usual_passes > 0 && record.usual_mean.value > 0 && record.mean.value > 0;
}

double share_as_started(const RankRecord& record, std::uint64_t region) {
  Seconds all;
  for (const OpenMpRegionRecord& row : record.openmp_regions)
    if (row.region == region) all += row.mean * static_cast<double>(row.passes);
  if (all.value <= 0) return 1;
  Seconds saved;
  double least = 1;
  double most = 1;
  for (const PackedRegionRecord& packed : record.packed_regions) {
    if (packed.region != region || packed.acted_passes == 0 || !says_how_long(packed)) continue;
    const double longer = packed.usual_mean / packed.mean;
    saved += packed.acted_mean * (static_cast<double>(packed.acted_passes) * (longer - 1));
    least = std::min(least, longer);
    most = std::max(most, longer);
  }
  return std::clamp((all + saved) / all, least, most);
}

}  // namespace huddle
