#include "profiles/recorder/tracing/openmp_tables.hpp"

#include <string_view>

#include "profiles/recorder/openmp/region_places.hpp"

namespace huddle::recorder {

std::uint32_t OpenMpTables::number_of(RecordedRegion::Kind kind, OpenMpPlace place,
                                      CallPathTable& paths) {
  const std::lock_guard lock(mutex_);
  if (numbers_.size() >= kMost && !numbers_.contains({kind, place.address})) place = {};
  const auto next = static_cast<std::uint32_t>(regions_.size());
  const auto [where, is_new] = numbers_.try_emplace({kind, place.address}, next);
  if (!is_new) return where->second;
  constexpr std::string_view kPrefix = "region at ";
  RecordedRegion& region = regions_.emplace_back();
  region.kind = kind;
  region.place = region_at(place.address).place;
  if (region.place.starts_with(kPrefix)) region.place.erase(0, kPrefix.size());
  // Functions are looked up by the address before.
  region.frame = paths.place_of(place.returns_there ? place.address : place.address + 1);
  return next;
}

void OpenMpTables::describe(RecordedTrace& trace) const {
  const std::lock_guard lock(mutex_);
  trace.regions = regions_;
  trace.teams.resize(teams_.load());
}

}  // namespace huddle::recorder
