#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/table/read_rows.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;

namespace {

std::filesystem::path file_with(const TemporaryDirectory& directory, const std::string& name,
                                const std::string& text) {
  put_file(directory.path() / name, text);
  return directory.path() / name;
}

}  // namespace

TEST_CASE("what was written is read to the same table") {
  const TemporaryDirectory directory;
  MeasurementTable table;
  table.regions = {"plain", "a, \"b\"", "", " # two\nlines "};
  table.region = {0, 1, 2, 3, 1};
  table.columns = {{ColumnRole::size, "size", "", {1, 2, 3, 4, 1e300}},
                   {ColumnRole::frequency, "frequency", "GHz", {1.7, 1.8, 1.9, 2, 0.1}},
                   {ColumnRole::time, "time", "s", {0.1, 1e-9, 123456789.125, 5, 6}},
                   {ColumnRole::energy, "energy", "J", {1, 2, 3, 4, 5}},
                   {ColumnRole::variable, "run", "", {1, 2, 3, 4, 5}},
                   {ColumnRole::variable, "AvgPower", "W", {10, 20, 30, 40, 50}},
                   {ColumnRole::variable, "misses [all]", "", {-1, -0.0, 3, 4, 5}},
                   {ColumnRole::variable, "#, \"odd\" ", "1/s", {1, 2, 3, 4, 5}},
                   {ColumnRole::variable, "Time[ms]", "", {1, 2, 3, 4, 5}},
                   {ColumnRole::variable, "", "", {1, 2, 3, 4, 5}}};
  const auto file = directory.path() / "rows.csv";
  write_measurements(table, file);
  MeasurementReading reading;
  CHECK(read_measurements({file}, {}, reading) == table);
  CHECK(reading.remarks.empty());
  CHECK(read_rows(format_measurements(table)).table == table);
  table.regions = {""};
  table.region = {0, 0, 0, 0, 0};
  CHECK(read_rows(format_measurements(table)).table == table);
}

TEST_CASE("notes that are written with rows are remarks when they are read") {
  const TemporaryDirectory directory;
  MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{ColumnRole::size, "size", "", {7}}, {ColumnRole::time, "time", "s", {3}}};
  const std::vector<std::string> notes = {"Energy was not measured.", "1, 2"};
  write_measurements(table, directory.path() / "rows.csv", notes);
  MeasurementReading reading;
  CHECK(read_measurements({directory.path() / "rows.csv"}, {}, reading) == table);
  CHECK(reading.remarks == notes);
}

TEST_CASE("columns of a file that was written may be given another meaning") {
  MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{ColumnRole::size, "size", "", {7}},
                   {ColumnRole::frequency, "frequency", "GHz", {2.5}},
                   {ColumnRole::time, "time", "s", {3}},
                   {ColumnRole::variable, "cells", "", {9}}};
  MeasurementCsvOptions options;
  options.columns["size"] = {"cells"};
  const ReadRows rows = read_rows(format_measurements(table), options);
  CHECK(rows.of(ColumnRole::size)[0] == 9);
  CHECK(rows.of(ColumnRole::time)[0] == 3);
  CHECK(rows.of(ColumnRole::frequency)[0] == 2.5);
  CHECK(rows.of("size")[0] == 7);
}

TEST_CASE("files of one kind become one table, each in its own units and order") {
  const TemporaryDirectory directory;
  const auto one =
      file_with(directory, "one.csv", "name,size,time_ms,calls\na,1,2000,5\nb,2,3000,6\n");
  const auto two = file_with(directory, "two.csv", "calls;Time[s];note;size;name\n7;4,5;x;3;b\n");
  MeasurementReading reading;
  const MeasurementTable table = read_measurements({one, two}, {}, reading);
  CHECK(table.regions == std::vector<std::string>{"a", "b"});
  CHECK(table.find(ColumnRole::time)->values == std::vector<double>{2, 3, 4.5});
  CHECK(table.find("calls")->values == std::vector<double>{5, 6, 7});
  CHECK(table.region == std::vector<std::uint32_t>{0, 1, 1});
  CHECK(reading.rows == 3);
}

TEST_CASE("a file with other columns than the first is named") {
  const TemporaryDirectory directory;
  const auto one = file_with(directory, "one.csv", "size,time_s,calls\n1,2,5\n");
  const auto two = file_with(directory, "two.csv", "size,time_s\n1,2\n");
  const auto three = file_with(directory, "three.csv", "size,time_s,calls,energy_j\n1,2,5,6\n");
  MeasurementReading reading;
  CHECK_THROWS_WITH_AS(read_measurements({one, two}, {}, reading),
                       (two.string() + ": line 1: found no column \"calls\", expected the same "
                                       "columns as in the first file")
                           .c_str(),
                       FormatError);
  CHECK_THROWS_WITH_AS(read_measurements({one, three}, {}, reading),
                       (three.string() + ": line 1: found a column of energy, expected the same "
                                         "columns as in the first file")
                           .c_str(),
                       FormatError);
}

TEST_CASE("what can't be read says why") {
  const TemporaryDirectory directory;
  MeasurementReading reading;
  CHECK_THROWS_WITH_AS(read_measurements({directory.path()}, {}, reading),
                       ("can't read " + directory.path().string() + ": Is a directory").c_str(),
                       SystemError);
  CHECK_THROWS_AS(read_measurements({directory.path() / "none.csv"}, {}, reading), SystemError);
  CHECK_THROWS_AS(read_measurements({}, {}, reading), UsageError);
}

TEST_CASE("progress is in bytes, of all files together") {
  const TemporaryDirectory directory;
  const auto file = file_with(directory, "one.csv", "size,time_s\n1,2\n");
  MeasurementCsvOptions options;
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  options.progress = [&](std::uint64_t read, std::uint64_t total) {
    last = read;
    all = total;
  };
  MeasurementReading reading;
  read_measurements({file, file}, options, reading);
  CHECK(last == 32);
  CHECK(all == 32);
}

TEST_CASE("a pipe is read as a file is, of any length within bounded memory") {
  const TemporaryDirectory directory;
  const auto pipe = directory.path() / "pipe";
  REQUIRE(std::system(fmt::format("mkfifo '{}'", pipe.string()).c_str()) == 0);
  REQUIRE(std::system(
              fmt::format("(echo size,time_s,calls; yes 100,2.5,12345 | head -n 3000000) > '{}' &",
                          pipe.string())
                  .c_str()) == 0);
  MeasurementCsvOptions options;
  options.most_rows = 1000;
  std::uint64_t all = 1;
  options.progress = [&](std::uint64_t, std::uint64_t total) { all = total; };
  MeasurementReading reading;
  const MeasurementTable table = read_measurements({pipe}, options, reading);
  CHECK(reading.rows == 3'000'000);
  CHECK(reading.bytes == 3'000'000 * 14 + 18);
  CHECK(table.rows() <= 1000);
  CHECK(reading.stride >= 4096);
  CHECK(all == 0);
}
