#include "aggregator/forecast/table/measurement_table.hpp"

#include <doctest/doctest.h>

using namespace huddle;

TEST_CASE("a table finds its columns and keeps the rows that are named") {
  forecast::MeasurementTable table;
  table.regions = {"a", "b"};
  table.region = {0, 1, 0};
  table.columns = {{forecast::ColumnRole::size, "n", "", {1, 2, 3}},
                   {forecast::ColumnRole::variable, "x", "k", {4, 5, 6}}};
  CHECK(table.find(forecast::ColumnRole::size)->name == "n");
  CHECK(table.find(forecast::ColumnRole::time) == nullptr);
  CHECK(table.find("x")->unit == "k");
  CHECK(table.find("X") == nullptr);
  table.keep({0, 1, 2});
  CHECK(table.rows() == 3);
  table.keep({0, 2});
  CHECK(table.region == std::vector<std::uint32_t>{0, 0});
  CHECK(table.columns[1].values == std::vector<double>{4, 6});
  CHECK(table.regions.size() == 2);
  table.keep({});
  CHECK(table.rows() == 0);
  CHECK(name_of(forecast::ColumnRole::frequency) == "frequency");
}
