#include "profiles/recorder/openmp/pending_regions.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "profiles/recorder/openmp/region_records.hpp"

namespace huddle::recorder {
namespace {

TEST_CASE("passes of a region have the mean, spread and extremes of their durations") {
  RegionPasses passes;
  for (const std::uint64_t ticks : {4U, 8U, 6U, 2U}) passes.add(ticks, 3, ticks == 2 ? 2 : 4);
  CHECK(passes.count == 4);
  CHECK(passes.mean() == doctest::Approx(5));
  CHECK(passes.squares() == doctest::Approx(20));
  CHECK(passes.shortest == 2);
  CHECK(passes.longest == 8);
  CHECK(passes.serial == 12);
  CHECK(passes.smallest_team == 2);
  CHECK(passes.largest_team == 4);
}

TEST_CASE("passes that were counted apart add up to those counted together") {
  RegionPasses together;
  RegionPasses apart;
  RegionPasses some;
  for (std::uint64_t i = 1; i <= 50; ++i) {
    const std::uint64_t ticks = i * i % 37 + 1;
    together.add(ticks, i, 3);
    some.add(ticks, i, 3);
    if (i % 7 == 0) {
      apart.add(some);
      some = {};
    }
  }
  apart.add(some);
  apart.add(RegionPasses{});
  CHECK(apart.count == together.count);
  CHECK(apart.mean() == doctest::Approx(together.mean()));
  CHECK(apart.squares() == doctest::Approx(together.squares()));
  CHECK(apart.shortest == together.shortest);
  CHECK(apart.longest == together.longest);
  CHECK(apart.serial == together.serial);
}

TEST_CASE("regions that are too many are counted as one, and no pass is lost") {
  PendingRegions pending;
  const std::uintptr_t regions = 3 * PendingRegions::kMost;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uintptr_t i = 1; i <= regions; ++i) pending.add(i * 48, 10, 0, 1);
  std::uint64_t passes = 0;
  std::uint64_t others = 0;
  std::size_t rows = 0;
  for (const auto& row : pending) {
    ++rows;
    passes += row.passes.count;
    if (row.function == 0)
      others += row.passes.count;
    else
      CHECK(row.passes.count == 2);
  }
  CHECK(rows == PendingRegions::kMost);
  CHECK(passes == 2 * regions);
  CHECK(others == 2 * (regions - PendingRegions::kMost + 1));
  pending.clear();
  CHECK(pending.empty());
}

TEST_CASE("what was pending is counted under its group, and groups are kept apart") {
  PendingRegions pending;
  pending.add(16, 5, 1, 2);
  pending.add(32, 7, 1, 2);
  RegionRecords records;
  records.attribute(9, pending);
  records.attribute(9, pending);
  records.attribute(4, pending);
  const auto rows = records.rows();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].group == 4);
  CHECK(rows[0].function == 16);
  CHECK(rows[0].passes.count == 1);
  CHECK(rows[2].group == 9);
  CHECK(rows[2].passes.count == 2);
  CHECK(rows[3].function == 32);
}

}  // namespace
}  // namespace huddle::recorder
