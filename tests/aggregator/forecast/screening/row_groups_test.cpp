#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "aggregator/forecast/screening/detail/checks.hpp"
#include "tests/aggregator/forecast/screening/made_up_columns.hpp"

namespace huddle {
namespace {

using Rows = std::vector<std::size_t>;
using Groups = std::vector<std::pair<std::size_t, std::size_t>>;

// Two regions, in turn; processes, sizes.
MeasurementTable six_rows() {
  MeasurementTable rows = table_of(
      {{ColumnRole::processes, {2, 1, 2, 1, 2, 2}}, {ColumnRole::size, {9, 5, 7, 5, 9, 7}}});
  rows.regions = {"a", "b"};
  rows.region = {0, 1, 0, 1, 1, 0};
  return rows;
}

TEST_CASE("rows are ordered by the columns that are asked for, one after the other") {
  const MeasurementTable rows = six_rows();
  CHECK(rows_in_order(rows, false, {ColumnRole::processes, ColumnRole::size}) ==
        Rows{1, 3, 2, 5, 0, 4});
  CHECK(rows_in_order(rows, false, {ColumnRole::size, ColumnRole::processes}) ==
        Rows{1, 3, 2, 5, 0, 4});
  CHECK(rows_in_order(rows, true, {ColumnRole::size}) == Rows{2, 5, 0, 1, 3, 4});
}

TEST_CASE("columns that the table does not have are no help, and equal rows keep their order") {
  const MeasurementTable rows = six_rows();
  CHECK(rows_in_order(rows, false, {ColumnRole::energy, ColumnRole::threads}) ==
        Rows{0, 1, 2, 3, 4, 5});
  CHECK(rows_in_order(rows, false, {}) == Rows{0, 1, 2, 3, 4, 5});
  CHECK(rows_in_order(MeasurementTable(), true, {ColumnRole::size}).empty());
}

TEST_CASE("a group ends where a column or the region changes") {
  const MeasurementTable rows = six_rows();
  const auto groups = [&](bool by_region, std::initializer_list<ColumnRole> roles) {
    return groups_in(rows, rows_in_order(rows, by_region, roles), by_region, roles);
  };
  CHECK(groups(false, {ColumnRole::processes}) == Groups{{0, 2}, {2, 6}});
  CHECK(groups(true, {}) == Groups{{0, 3}, {3, 6}});
  CHECK(groups(true, {ColumnRole::size}) == Groups{{0, 2}, {2, 3}, {3, 5}, {5, 6}});
  CHECK(groups(false, {ColumnRole::energy}) == Groups{{0, 6}});
}

TEST_CASE("no rows have no groups, and one row is a group") {
  CHECK(groups_in(MeasurementTable(), {}, true, {ColumnRole::size}).empty());
  const MeasurementTable one = table_of({{ColumnRole::size, {3}}});
  CHECK(groups_in(one, {0}, true, {ColumnRole::size}) == Groups{{0, 1}});
}

TEST_CASE("0 and minus 0 are one value, and the nearest numbers are two") {
  const MeasurementTable rows =
      table_of({{ColumnRole::size, {0.0, 1.0, -0.0, std::nextafter(1.0, 2.0)}}});
  const Rows order = rows_in_order(rows, false, {ColumnRole::size});
  CHECK(order == Rows{0, 2, 1, 3});
  CHECK(groups_in(rows, order, false, {ColumnRole::size}) == Groups{{0, 2}, {2, 3}, {3, 4}});
}

TEST_CASE("groups of many rows share no row and leave none out") {
  std::mt19937 random(7);
  std::vector<double> sizes(5000);
  for (double& size : sizes) size = static_cast<double>(random() % 40);
  const MeasurementTable rows = table_of({{ColumnRole::size, sizes}});
  const Rows order = rows_in_order(rows, false, {ColumnRole::size});
  const Groups groups = groups_in(rows, order, false, {ColumnRole::size});
  CHECK(groups.size() == 40);
  std::size_t next = 0;
  for (const auto& [begin, end] : groups) {
    CHECK(begin == next);
    next = end;
    for (std::size_t i = begin; i < end; ++i) CHECK(sizes[order[i]] == sizes[order[begin]]);
  }
  CHECK(next == 5000);
}

}  // namespace
}  // namespace huddle
