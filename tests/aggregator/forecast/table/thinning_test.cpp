#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

TEST_CASE("beyond the most rows about every second one is given up, whatever the rows' rhythm") {
  std::string text = "name,threads,time_s\n";
  constexpr int kRows = 40'000;
  for (int i = 0; i < kRows; ++i) text += fmt::format("r{},{},{}\n", i % 16, 1 << (i % 8), i);
  MeasurementCsvOptions options;
  options.most_rows = 10'000;
  const ReadRows rows = read_rows(text, options);
  CHECK(rows.reading.rows == kRows);
  CHECK(rows.reading.kept == rows.table.rows());
  CHECK(rows.table.rows() <= 10'000);
  CHECK(rows.table.rows() >= 3'000);
  CHECK(rows.remarks("drawn by lot"));
  std::map<double, int> by_threads;
  for (const double threads : rows.of(ColumnRole::threads)) ++by_threads[threads];
  REQUIRE(by_threads.size() == 8);
  const double even = static_cast<double>(rows.table.rows()) / 8;
  for (const auto& [threads, count] : by_threads) CHECK(std::abs(count - even) < 0.15 * even);
  // In the order of the file, and from all of it.
  const std::vector<double>& times = rows.of(ColumnRole::time);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(times.front() < 100);
  CHECK(times.back() > kRows - 100);
  CHECK(read_rows(text, options).table == rows.table);
}

TEST_CASE("wide rows are thinned by the numbers in them") {
  std::string text = "size,a,b,c,d,e,f,time_s\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("{},1,2,3,4,5,6,{}\n", i, i);
  MeasurementCsvOptions options;
  options.most_values = 800;
  CHECK(read_rows(text, options).table.rows() <= 100);
  options.variables = {"a"};
  CHECK(read_rows(text, options).table.rows() > 100);
}

TEST_CASE("regions that have lost all their rows are not named any more") {
  std::string text = "name,time_s\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("r{},{}\n", i, i + 1);
  MeasurementCsvOptions options;
  options.most_rows = 50;
  const ReadRows rows = read_rows(text, options);
  CHECK(rows.table.regions.size() == rows.table.rows());
  for (std::size_t row = 0; row < rows.table.rows(); ++row)
    CHECK(rows.table.regions[rows.table.region[row]] ==
          fmt::format("r{}", rows.of(ColumnRole::time)[row] - 1));
}

TEST_CASE("at least one row is kept") {
  MeasurementCsvOptions options;
  options.most_rows = 0;
  std::string text = "size,time_s\n";
  for (int i = 0; i < 300; ++i) text += fmt::format("{},1\n", i + 1);
  CHECK(read_rows(text, options).table.rows() == 1);
}

TEST_CASE("a column of text that never repeats is not taken for names without end") {
  std::string text = "name,time_s\n";
  for (int i = 0; i <= 1'000'000; ++i) text += fmt::format("r{},1\n", i);
  CHECK(error_of(text).find("--column region=NAME") != std::string::npos);
}
