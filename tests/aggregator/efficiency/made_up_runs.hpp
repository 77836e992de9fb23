#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::efficiency {

/// A run of `elapsed` seconds whose ranks, on one node, were outside MPI for so many.
inline Profile run_with_loads(double elapsed, const std::vector<double>& outside_s) {
  Profile profile;
  profile.executable = "/opt/solver";
  profile.ranks = static_cast<std::uint32_t>(outside_s.size());
  for (const double outside : outside_s) {
    RankRecord& record = profile.rank_records.emplace_back();
    record.rank = {static_cast<std::uint32_t>(profile.rank_records.size() - 1)};
    record.node = "n0";
    record.run_time = {elapsed};
    record.mpi_time = {elapsed - outside};
  }
  return profile;
}

/// Passes of a region, of teams of `team` threads whose work is known.
inline OpenMpRegionRecord region_of(std::uint32_t team, std::uint64_t passes, double mean_s,
                                    double busiest_s, double busy_s) {
  OpenMpRegionRecord region;
  region.group = 1;
  region.region = 7;
  region.passes = region.observed_passes = passes;
  region.mean = {mean_s};
  region.busiest = {busiest_s};
  region.busy = {busy_s};
  region.smallest_team = region.largest_team = team;
  return region;
}

}  // namespace huddle::efficiency
