#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/render/summary/run_summary.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::render {

/// The counts of one region, of all ranks and groups together. A record's counts stand for
/// `counted_for` passes; a record without an event has no part in what is made of it. Nothing is
/// made of less than eight passes that were read, unless these are about all.
class RegionCountSums {
 public:
  /// `events` are those of the record's rank.
  void add(const std::vector<std::string>& events, const OpenMpRegionRecord& region);
  void put_into(OpenMpRegionSummary& summary) const;

 private:
  std::uint64_t passes_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t counted_for_ = 0;
  double instructions_ = 0;
  double cycles_ = 0;
  double misses_ = 0;
  double seconds_ = 0;  // in which these missed
};

}  // namespace huddle::render
