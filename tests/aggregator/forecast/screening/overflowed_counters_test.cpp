#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/forecast/screening/detail/checks.hpp"
#include "tests/aggregator/forecast/screening/made_up_columns.hpp"

namespace huddle {
namespace {

// Sizes 1 to 20; a count of 4e8 for each unit of size, which passes 2^32 at size 11, and a time.
MeasurementTable counted_rows() {
  std::vector<double> sizes;
  std::vector<double> times;
  std::vector<double> counts;
  for (int size = 1; size <= 20; ++size) {
    sizes.push_back(size);
    times.push_back(0.1 * size);
    counts.push_back(4e8 * size);
  }
  return table_of(
      {{ColumnRole::size, sizes}, {ColumnRole::time, times}, {ColumnRole::variable, counts}});
}

TEST_CASE("counts that follow their law have not overflowed") {
  CHECK(find_overflowed(counted_rows()).empty());
}

TEST_CASE("counts that lack 2^32 are found, once each, from the first one on") {
  MeasurementTable rows = counted_rows();
  std::vector<OverflowedCounter> expected;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    if (double& count = rows.columns[2].values[row]; count >= 0x1p32) {
      count = std::fmod(count, 0x1p32);
      expected.push_back({row, "counter 2"});
    }
  REQUIRE(expected.size() == 10);
  CHECK(find_overflowed(rows) == expected);
}

TEST_CASE("a small count of a run that took another time is no overflow") {
  MeasurementTable rows = counted_rows();
  rows.columns[1].values[15] *= 0.3;
  rows.columns[2].values[15] -= 0x1p32;
  CHECK(find_overflowed(rows).empty());
}

TEST_CASE("a count that no range explains is odd, and stays") {
  MeasurementTable rows = counted_rows();
  rows.columns[2].values[15] *= 0.55;
  CHECK(find_overflowed(rows).empty());
}

TEST_CASE("negative counts have overflowed; negative numbers that are no counts have not") {
  MeasurementTable rows = counted_rows();
  rows.columns[2].values[3] = -7;
  CHECK(find_overflowed(rows) == std::vector<OverflowedCounter>{{3, "counter 2"}});
  rows.columns[2].values[3] = -7.5;
  CHECK(find_overflowed(rows).empty());
}

TEST_CASE("a running law knows sizes near the last one from three values on") {
  RunningLaw law;
  law.add(100, 1e4);
  law.add(200, 4e4);
  CHECK_FALSE(law.knows(200));
  law.add(400, 16e4);
  CHECK(law.knows(400));
  CHECK(law.knows(1599));
  CHECK_FALSE(law.knows(1601));
  CHECK(law.at(800) == doctest::Approx(64e4));
}

TEST_CASE("of nearly equal sizes a running law follows the size itself") {
  RunningLaw law;
  for (const double value : {10.0, 9.0, 11.0}) law.add(100, value);
  CHECK(law.at(200) == doctest::Approx(20));
}

TEST_CASE("one odd value moves a running law little") {
  RunningLaw law;
  for (int size = 1; size <= 32; ++size) law.add(size, size == 30 ? 3000 : 10 * size);
  CHECK(law.at(33) == doctest::Approx(330).epsilon(0.3));
}

}  // namespace
}  // namespace huddle
