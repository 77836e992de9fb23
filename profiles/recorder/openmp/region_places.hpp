#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiles/formats/profile/openmp_regions.hpp"
#include "profiles/hardware/counters/reading.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "profiles/recorder/process/clocks.hpp"

namespace huddle::recorder {

/// The regions of a profile: the records of a rank and the regions that they name.
struct DescribedRegions {
  /// Ordered by group and region, none twice.
  std::vector<OpenMpRegionRecord> records;
  /// Ordered by id, none twice.
  std::vector<OpenMpRegion> regions;
  /// At most one.
  std::vector<RegionPeriodRecord> periods;
};

/// The region with that outlined function. Throws std::bad_alloc.
OpenMpRegion region_at(std::uintptr_t function);

/// Finds out in which program or library each region's function is, and where. `run` turns ticks
/// into time, `counts_of` tallies into counts, in the order of the record's events; without it
/// the records have no counts. Throws std::bad_alloc.
DescribedRegions describe(
    const RegionRecords& records, const Interval& run,
    const std::function<std::vector<double>(const counters::Tally&)>& counts_of = {});

/// Why regions of this process may be missing, for people: it has a runtime of OpenMP whose regions
/// are not seen. Empty if none is known of. Throws std::bad_alloc.
std::string why_regions_are_missing();

}  // namespace huddle::recorder
