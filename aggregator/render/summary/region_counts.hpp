#pragma once

#include <string>
#include <vector>

#include "aggregator/render/summary/run_summary.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What counters say of one region, of all ranks and groups together. A record's counts stand for
/// all of its passes; a record without an event has no part in what is made of it.
class RegionCountSums {
 public:
  /// `events` are those of the record's rank.
  void add(const std::vector<std::string>& events, const OpenMpRegionRecord& region);
  void put_into(OpenMpRegionSummary& summary) const;

 private:
  double instructions_ = 0;
  double cycles_ = 0;
  double misses_ = 0;
  double seconds_ = 0;  // in which these missed
};

}  // namespace huddle
