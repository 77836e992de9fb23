#include "profiles/recorder/openmp/pending_regions.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "profiles/recorder/openmp/region_records.hpp"

namespace huddle::recorder {
namespace {

TEST_CASE("passes of a region have the mean, spread and extremes of their durations") {
  RegionPasses passes;
  for (const std::uint64_t ticks : {4U, 8U, 6U, 2U}) {
    passes.add(ticks, ticks == 2 ? 2 : 4, 1);
    passes.add_serial(3, 1);
  }
  CHECK(passes.count == 4);
  CHECK(passes.mean() == doctest::Approx(5));
  CHECK(passes.variance() == doctest::Approx(5));
  CHECK(passes.shortest == 2);
  CHECK(passes.longest == 8);
  CHECK(passes.serial_before_all() == doctest::Approx(12));
  CHECK(passes.smallest_team == 2);
  CHECK(passes.largest_team == 4);
}

TEST_CASE("passes that were counted apart add up to those counted together") {
  RegionPasses together;
  RegionPasses apart;
  RegionPasses some;
  for (std::uint64_t i = 1; i <= 50; ++i) {
    const std::uint64_t ticks = i * i % 37 + 1;
    for (RegionPasses* const passes : {&together, &some}) {
      if (i % 5 == 0) {
        passes->add(3);
        continue;
      }
      passes->add(ticks, 3, i % 3 == 0 ? 4 : 1);
      if (i % 2 == 0) passes->add_serial(i, 1);
    }
    if (i % 7 == 0) {
      apart.add(some);
      some = {};
    }
  }
  apart.add(some);
  apart.add(RegionPasses{});
  CHECK(apart.count == together.count);
  CHECK(apart.mean() == doctest::Approx(together.mean()));
  CHECK(apart.variance() == doctest::Approx(together.variance()));
  CHECK(apart.timed == together.timed);
  CHECK(apart.timed == 40);
  CHECK(apart.shortest == together.shortest);
  CHECK(apart.longest == together.longest);
  CHECK(apart.serial_before_all() == doctest::Approx(together.serial_before_all()));
}

TEST_CASE("one timed pass stands for several, and passes that were not timed are counted") {
  RegionPasses passes;
  passes.add(2);
  CHECK(passes.serial_before_all() == 0);
  passes.add(100, 2, 3);
  passes.add_serial(10, 3);
  passes.add(200, 2, 1);
  passes.add(2);
  CHECK(passes.count == 4);
  CHECK(passes.timed == 2);
  CHECK(passes.mean() == doctest::Approx(125));
  CHECK(passes.variance() == doctest::Approx(1875));
  CHECK(passes.serial_before_all() == doctest::Approx(40));
}

TEST_CASE("passes with none that was timed add to those that were, in either order") {
  RegionPasses timed;
  timed.add(50, 2, 1);
  RegionPasses counted;
  counted.add(4);
  RegionPasses all = counted;
  all.add(timed);
  timed.add(counted);
  for (const RegionPasses& sum : {all, timed}) {
    CHECK(sum.count == 2);
    CHECK(sum.mean() == doctest::Approx(50));
    CHECK(sum.shortest == 50);
    CHECK(sum.smallest_team == 2);
    CHECK(sum.largest_team == 4);
  }
}

TEST_CASE("how often regions come is remembered where they are few, and passes are not") {
  PendingRegions pending;
  PendingRegions::Row& row = pending.row_of(16);
  row.passes.add(5, 1, 1);
  while (!row.pace.is_short()) row.pace.timed(100);
  pending.clear();
  CHECK(&pending.row_of(16) == &row);
  CHECK(row.pace.is_short());
  CHECK(row.passes.count == 0);
  for (std::uintptr_t i = 2; i < PendingRegions::kMost; ++i) pending.row_of(16 * i);
  pending.clear();
  CHECK(row.function != 16);
  CHECK(!pending.row_of(16).pace.is_short());
}

TEST_CASE("regions that are too many are counted as one, and no pass is lost") {
  PendingRegions pending;
  const std::uintptr_t regions = 3 * PendingRegions::kMost;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uintptr_t i = 1; i <= regions; ++i) pending.row_of(i * 48).passes.add(10, 1, 1);
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
  pending.row_of(16).passes.add(5, 2, 1);
  pending.row_of(32).passes.add(7, 2, 1);
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

TEST_CASE("the period of regions that was found last is kept") {
  RegionRecords records;
  CHECK_FALSE(records.period());
  records.set_period(RegionRecords::Period{3, 40, {16, 32}});
  records.set_period(RegionRecords::Period{3, 80, {16, 32, 48}});
  REQUIRE(records.period());
  CHECK(records.period()->passes == 80);
  CHECK(records.period()->functions == std::vector<std::uint64_t>{16, 32, 48});
}

}  // namespace
}  // namespace huddle::recorder
