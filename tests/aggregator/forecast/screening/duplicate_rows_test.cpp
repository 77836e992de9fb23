#include <doctest/doctest.h>

#include "aggregator/forecast/screening/detail/checks.hpp"
#include "tests/aggregator/forecast/screening/made_up_columns.hpp"

namespace huddle {
namespace {

using Rows = std::vector<std::size_t>;

TEST_CASE("a row with many digits that comes again is a copy") {
  const DuplicateRows found = find_duplicates(
      table_of({{ColumnRole::size, {1, 2, 1}}, {ColumnRole::time, {0.123456789, 2, 0.123456789}}}));
  CHECK(found.copies == Rows{2});
  CHECK(found.maybe_repeated == 0);
}

TEST_CASE("digits of all rows that were copied together count") {
  // Each time has two digits behind the noisy ones; three rows have six of them.
  const DuplicateRows found = find_duplicates(
      table_of({{ColumnRole::time, {1.234, 2.345, 3.456, 1.234, 2.345, 3.456, 1.234}}}));
  CHECK(found.copies == Rows{3, 4, 5});
  CHECK(found.maybe_repeated == 1);
}

TEST_CASE("counts may be the same in each run, and are no evidence of a copy") {
  const DuplicateRows found = find_duplicates(table_of(
      {{ColumnRole::time, {0.5, 0.5}}, {ColumnRole::variable, {123456789012.0, 123456789012.0}}}));
  CHECK(found.copies.empty());
  CHECK(found.maybe_repeated == 1);
}

TEST_CASE("rows of different regions or values are no copies") {
  MeasurementTable rows = table_of({{ColumnRole::time, {0.123456789, 0.123456789, 0.123456788}}});
  rows.regions = {"a", "b"};
  rows.region = {0, 1, 0};
  CHECK(find_duplicates(rows).copies.empty());
}

}  // namespace
}  // namespace huddle
