#include "profiles/recorder/openmp/region_records.hpp"

#include <utility>

namespace huddle::recorder {

void RegionRecords::attribute(std::uint64_t group, const PendingRegions& pending) {
  const std::lock_guard lock(mutex_);
  for (const PendingRegions::Row& row : pending) {
    if (row.passes.count == 0) continue;
    Key key{group, row.function};
    if (passes_.size() >= kMost && passes_.count(key) == 0) key = {kNoGroup, 0};
    passes_[key].add(row.passes);
  }
}

std::vector<RegionRecords::Row> RegionRecords::rows() const {
  std::vector<Row> rows;
  const std::lock_guard lock(mutex_);
  rows.reserve(passes_.size());
  for (const auto& [key, passes] : passes_) rows.push_back({key.first, key.second, passes});
  return rows;
}

void RegionRecords::set_period(Period period) {
  const std::lock_guard lock(mutex_);
  period_ = std::move(period);
}

std::optional<RegionRecords::Period> RegionRecords::period() const {
  const std::lock_guard lock(mutex_);
  return period_;
}

}  // namespace huddle::recorder
