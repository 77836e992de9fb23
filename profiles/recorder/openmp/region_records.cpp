#include "profiles/recorder/openmp/region_records.hpp"

#include <utility>

namespace huddle::recorder {

RegionRecords::Key RegionRecords::key_of(std::uint64_t group, std::uintptr_t function) const {
  const Key key{group, function};
  return regions_.size() < kMost || regions_.count(key) != 0 ? key : Key{kNoGroup, 0};
}

void RegionRecords::attribute(std::uint64_t group, const PendingRegions& pending,
                              const RegionCounters::Pending& counts) {
  const std::lock_guard lock(mutex_);
  for (const PendingRegions::Row& row : pending) {
    if (row.passes.count == 0) continue;
    Sums& sums = regions_[key_of(group, row.function)];
    sums.passes.add(row.passes);
    const auto counted = counts.find(row.function);
    if (counted == counts.end()) continue;
    if (!sums.counts) sums.counts = std::make_unique<RegionCounts>();
    sums.counts->add(counted->second);
  }
}

std::vector<RegionRecords::Row> RegionRecords::rows() const {
  std::vector<Row> rows;
  const std::lock_guard lock(mutex_);
  rows.reserve(regions_.size());
  for (const auto& [key, sums] : regions_) {
    Row& row = rows.emplace_back();
    row.group = key.first;
    row.function = key.second;
    row.passes = sums.passes;
    if (sums.counts) row.counts = *sums.counts;
  }
  return rows;
}

void RegionRecords::set_period(std::optional<Period> period) {
  const std::lock_guard lock(mutex_);
  period_ = std::move(period);
}

std::optional<RegionRecords::Period> RegionRecords::period() const {
  const std::lock_guard lock(mutex_);
  return period_;
}

}  // namespace huddle::recorder
