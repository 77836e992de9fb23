#include "profiles/recorder/openmp/region_places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "profiles/recorder/process/clocks.hpp"

namespace huddle::recorder {
namespace {

void first_function() {}
void second_function() {}

std::uintptr_t place_of(void (*function)()) {
  return reinterpret_cast<std::uintptr_t>(function);
}

}  // namespace

TEST_CASE("a period is described only if all its regions are") {
  const Moment begin = Moment::now();
  RegionRecords records;
  const auto pending = std::make_unique<PendingRegions>();
  pending->row_of(place_of(first_function)).passes.add(100, 4, 1);
  records.attribute(7, *pending);
  records.set_period(RegionRecords::Period{
      3, 9, {place_of(first_function), place_of(second_function)}});
  DescribedRegions described = describe(records, Interval(begin, Moment::now()));
  CHECK(described.records.size() == 1);
  CHECK(described.regions.size() == 1);
  CHECK(described.periods.empty());
  pending->clear();
  pending->row_of(place_of(second_function)).passes.add(100, 4, 1);
  records.attribute(7, *pending);
  described = describe(records, Interval(begin, Moment::now()));
  REQUIRE(described.periods.size() == 1);
  CHECK(described.periods[0].first == 3);
  CHECK(described.periods[0].passes == 9);
  for (const std::uint64_t id : described.periods[0].regions)
    CHECK(std::ranges::count(described.regions, id, &OpenMpRegion::id) == 1);
}

}  // namespace huddle::recorder
