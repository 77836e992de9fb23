#include <doctest/doctest.h>

#include <cfloat>
#include <limits>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "tests/aggregator/forecast/table/read_rows.hpp"

namespace huddle::forecast {
namespace {

MeasurementTable table_of_times(std::vector<double> times) {
  MeasurementTable table;
  table.regions = {""};
  table.region.assign(times.size(), 0);
  table.columns = {{ColumnRole::time, "time", "s", std::move(times)}};
  return table;
}

TEST_CASE("the columns of roles have Huddle's own names, and no unit but in these") {
  MeasurementTable table = table_of_times({0.5});
  table.columns.insert(table.columns.begin(), {ColumnRole::frequency, "clock", "GHz", {2.4}});
  table.columns.push_back({ColumnRole::variable, "cache misses", "", {17}});
  table.columns.push_back({ColumnRole::variable, "volume", "MB", {1}});
  const std::string text = format_measurements(table);
  const std::string rows = text.substr(text.find('\n') + 1);
  CHECK(rows == "frequency_ghz,time_s,cache misses,volume [MB]\n2.4,0.5,17,1\n");
}

TEST_CASE("each finite number is read as it was written") {
  const std::vector<double> values = {0.1,
                                      1.0 / 3,
                                      DBL_MAX,
                                      DBL_MIN,
                                      DBL_EPSILON,
                                      1e22,
                                      123456789012345678.0,
                                      std::numeric_limits<double>::denorm_min()};
  CHECK(read_rows(format_measurements(table_of_times(values))).of(ColumnRole::time) == values);
}

TEST_CASE("names of regions and variables may hold whatever a file may hold") {
  MeasurementTable table;
  table.regions = {"a,b", "say \"x\"", "#no comment", " blanks ",       "tab\there",
                   "1.5", "NaN",       "f()[3]",      "operator\"\"_x", "caf\xc3\xa9"};
  for (std::uint32_t i = 0; i < table.regions.size(); ++i) table.region.push_back(i);
  const auto column = [&](std::string name, std::string unit) {
    std::vector<double> values;
    for (std::size_t i = 0; i < table.rows(); ++i) values.push_back(static_cast<double>(i) + 0.5);
    table.columns.push_back({ColumnRole::variable, std::move(name), std::move(unit), values});
  };
  column("ends in [x]", "");
  column("a,b", "MB");
  column("with \"quotes\"", "");
  table.columns.insert(table.columns.begin(), table_of_times(table.columns[0].values).columns[0]);
  const ReadRows read = read_rows(format_measurements(table));
  CHECK(read.table.regions == table.regions);
  CHECK(read.table.region == table.region);
  CHECK(read.table.columns == table.columns);
}

TEST_CASE("columns with a role are read first, in the order of roles") {
  MeasurementTable table = table_of_times({1});
  table.columns.insert(table.columns.begin(), {ColumnRole::variable, "calls", "", {7}});
  table.columns.push_back({ColumnRole::size, "size", "", {3}});
  const ReadRows read = read_rows(format_measurements(table));
  REQUIRE(read.table.columns.size() == 3);
  CHECK(read.table.columns[0].role == ColumnRole::size);
  CHECK(read.table.columns[1].role == ColumnRole::time);
  CHECK(read.table.columns[2].name == "calls");
}

TEST_CASE(
    "a table without regions has no column of them, one with an empty name among others has") {
  CHECK(format_measurements(table_of_times({1})).find("region") == std::string::npos);
  MeasurementTable table = table_of_times({1, 2, 3});
  table.regions = {"", "inner"};
  table.region = {0, 1, 0};
  const ReadRows read = read_rows(format_measurements(table));
  CHECK(read.table.regions == table.regions);
  CHECK(read.table.region == table.region);
}

TEST_CASE("own names are those of roles and of regions, exactly") {
  for (const char* name : {"region", "size", "processes", "threads", "time_s", "energy_j"})
    CHECK(is_own_name(name));
  for (const char* name : {"", "Region", "time", "time_s ", "energy", "cycles"})
    CHECK_FALSE(is_own_name(name));
}

}  // namespace
}  // namespace huddle::forecast
