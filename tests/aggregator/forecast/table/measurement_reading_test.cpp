#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/table/read_rows.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;

namespace {

std::filesystem::path file_with(const store::TemporaryDirectory& directory, const std::string& name,
                                const std::string& text) {
  store::put_file(directory.path() / name, text);
  return directory.path() / name;
}

}  // namespace

TEST_CASE("commas, semicolons, tabs and bars part fields") {
  for (const char* text : {"size,time_s\n1,2.5\n2,3.5\n", "size;time_s\n1;2.5\n2;3.5\n",
                           "size\ttime_s\n1\t2.5\n2\t3.5\n", "size|time_s\n1|2.5\n2|3.5\n",
                           "size , time_s\n 1 , 2.5 \n2, 3.5\n"}) {
    const forecast::ReadRows rows = forecast::read_rows(text);
    CHECK_MESSAGE((rows.of(forecast::ColumnRole::size) == std::vector<double>{1, 2}), text);
    CHECK_MESSAGE((rows.of(forecast::ColumnRole::time) == std::vector<double>{2.5, 3.5}), text);
  }
}

TEST_CASE("line ends of Windows, a mark of UTF-8 and a missing last line end change nothing") {
  const forecast::MeasurementTable expected = forecast::read_rows("size,time_s\n1,2\n3,4\n").table;
  CHECK(forecast::read_rows("size,time_s\r\n1,2\r\n3,4\r\n").table == expected);
  CHECK(forecast::read_rows("\xef\xbb\xbfsize,time_s\n1,2\n3,4\n").table == expected);
  CHECK(forecast::read_rows("size,time_s\n1,2\n3,4").table == expected);
  CHECK(forecast::read_rows("\"size\",\"time_s\"\n\"1\",\"2\"\n3,4\n").table == expected);
  CHECK(forecast::read_rows("\n\nsize,time_s\n\n1,2\n   \n3,4\n\n").table == expected);
  CHECK(forecast::read_rows("size,time_s,\n1,2,\n3,4,\n").table == expected);
  CHECK(forecast::read_rows("size,time_s\n1,2,\n3,4,\n").table == expected);
  CHECK(forecast::read_rows("size,time_s,\n1,2\n3,4\n").table == expected);
}

TEST_CASE("the header may begin with a mark of comments, and comments are none of it") {
  const forecast::MeasurementTable expected = forecast::read_rows("size,time_s\n1,2\n3,4\n").table;
  CHECK(forecast::read_rows("#size,time_s\n1,2\n3,4\n").table == expected);
  CHECK(
      forecast::read_rows("# measured on Monday, at 3\n# size,time_s\n1,2\n# later\n3,4\n").table ==
      expected);
  CHECK(forecast::read_rows("# measured on Monday\nsize,time_s\n1,2\n3,4\n").table == expected);
}

TEST_CASE("files that were put together with their headers are one") {
  const forecast::ReadRows rows = forecast::read_rows("size,time_s\n1,2\nsize,time_s\n3,4\n");
  CHECK(rows.table == forecast::read_rows("size,time_s\n1,2\n3,4\n").table);
  CHECK(rows.reading.rows == 2);
}

TEST_CASE("quoted fields may hold separators, quotes and line ends") {
  const forecast::ReadRows rows =
      forecast::read_rows("name,time_s\n\"a, \"\"b\"\"\n second line\",2\nit's 5\" long,3\n");
  CHECK(rows.table.regions == std::vector<std::string>{"a, \"b\"\n second line", "it's 5\" long"});
}

TEST_CASE("rows in which a value is missing or not finite are left out, and counted") {
  const forecast::ReadRows rows =
      forecast::read_rows("size,time_s,calls\n1,2,3\n2,,3\n3,nan,3\n4,5,1e400\n5,6,7\n");
  CHECK(rows.of(forecast::ColumnRole::size) == std::vector<double>{1, 5});
  CHECK(rows.reading.left_out ==
        std::vector<forecast::LeftOutRows>{
            {"a value is missing or no finite number", 3, "rows.csv, line 3, column 2 (time_s)"}});
  CHECK(forecast::error_of("size,time_s\n1,\n2,nan\n") ==
        "none of 2 rows can be used: in 2 a value is missing or no finite number, first in "
        "rows.csv, line 2, column 2 (time_s)");
}

TEST_CASE("text in a column of numbers, and rows of other lengths, are errors with their place") {
  CHECK(forecast::error_of("size,time_s\n1,2\n2,x\n") ==
        "rows.csv: line 3, column 2 (time_s): found \"x\", expected a number with a decimal point, "
        "and maybe its unit behind it: correct it, or remove the row");
  CHECK(forecast::error_of("size;time_s\n1;2\n2;3,5\n").find("found \"3,5\"") != std::string::npos);
  CHECK(
      forecast::error_of("size,time_s\n1,2\n2\n3,4\n") ==
      "rows.csv: line 3: found 1 column, expected 2 columns, as the header in line 1 has: correct "
      "it, or remove the row");
  CHECK(forecast::error_of("size,time_s\n1,2\n2,3,4\n").find("found 3 columns") !=
        std::string::npos);
  CHECK(forecast::error_of("size,time_s,calls\n1,2,3\n4,5").find("the file is cut short") !=
        std::string::npos);
}

TEST_CASE("a text that is no table says what it is short of") {
  CHECK(forecast::error_of("") ==
        "rows.csv: line 1: found the end of the file, expected a header and rows");
  CHECK(forecast::error_of("size,time_s\n").find("expected rows of numbers behind the header") !=
        std::string::npos);
  CHECK(forecast::error_of("1,2\n3,4\n").find("expected a line that names the columns") !=
        std::string::npos);
  CHECK(forecast::error_of("note,host\na,b\n").find("found no column of numbers") !=
        std::string::npos);
  CHECK(forecast::error_of(std::string_view("\x1f\x8b\0\1\2\n", 6)).find("binary data") !=
        std::string::npos);
  CHECK(
      forecast::error_of("# huddle/measurements 2\nsize,time_s\n1,2\n") ==
      "rows.csv: line 1: found huddle/measurements 2, expected huddle/measurements 1: collect the "
      "rows anew");
}

TEST_CASE("more numbers than memory shall hold are an error, and so are names without end") {
  forecast::MeasurementCsvOptions options;
  options.most_values = 3;
  CHECK(forecast::error_of("size,time_s\n1,2\n3,4\n", options).find("--keep-column") !=
        std::string::npos);
  std::string text = "name,time_s\n";
  for (int i = 0; i <= 1'000'000; ++i) text += "r" + std::to_string(i) + ",1\n";
  CHECK(forecast::error_of(text).find("--column region=NAME") != std::string::npos);
}

TEST_CASE("rows that were written are read to the same table") {
  const store::TemporaryDirectory directory;
  forecast::MeasurementTable table;
  table.regions = {"plain", "a, \"b\"", "", " # two\nlines "};
  table.region = {0, 1, 2, 3, 1};
  table.columns = {{forecast::ColumnRole::size, "size", "", {1, 2, 3, 4, 1e300}},
                   {forecast::ColumnRole::frequency, "frequency", "GHz", {1.7, 1.8, 1.9, 2, 0.1}},
                   {forecast::ColumnRole::time, "time", "s", {0.1, 1e-9, 123456789.125, 5, 6}},
                   {forecast::ColumnRole::energy, "energy", "J", {1, 2, 3, 4, 5}},
                   {forecast::ColumnRole::variable, "run", "", {1, 2, 3, 4, 5}},
                   {forecast::ColumnRole::variable, "AvgPower", "W", {10, 20, 30, 40, 50}},
                   {forecast::ColumnRole::variable, "misses [all]", "", {-1, -0.0, 3, 4, 5}},
                   {forecast::ColumnRole::variable, "#, \"odd\" ", "1/s", {1, 2, 3, 4, 5}},
                   {forecast::ColumnRole::variable, "Time[ms]", "", {1, 2, 3, 4, 5}},
                   {forecast::ColumnRole::variable, "", "", {1, 2, 3, 4, 5}}};
  const std::vector<std::string> notes = {"Energy was not measured.", "1, 2"};
  const auto file = directory.path() / "rows.csv";
  forecast::write_measurements(table, file, notes);
  forecast::MeasurementReading reading;
  CHECK(forecast::read_measurements({file}, {}, reading) == table);
  CHECK(reading.remarks == notes);
  table.regions = {""};
  table.region = {0, 0, 0, 0, 0};
  CHECK(forecast::read_rows(forecast::format_measurements(table)).table == table);
}

TEST_CASE("columns of a file that was written may be given another meaning") {
  forecast::MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{forecast::ColumnRole::size, "size", "", {7}},
                   {forecast::ColumnRole::frequency, "frequency", "GHz", {2.5}},
                   {forecast::ColumnRole::time, "time", "s", {3}},
                   {forecast::ColumnRole::variable, "cells", "", {9}}};
  forecast::MeasurementCsvOptions options;
  options.columns["size"] = {"cells"};
  options.values["processes"] = "16";
  const forecast::ReadRows rows =
      forecast::read_rows(forecast::format_measurements(table), options);
  CHECK(rows.of(forecast::ColumnRole::size)[0] == 9);
  CHECK(rows.of(forecast::ColumnRole::time)[0] == 3);
  CHECK(rows.of(forecast::ColumnRole::processes)[0] == 16);
  CHECK(rows.of(forecast::ColumnRole::frequency)[0] == 2.5);
  CHECK(rows.of("size")[0] == 7);
}

TEST_CASE("files of one kind become one table, each in its own units and order") {
  const store::TemporaryDirectory directory;
  const auto one =
      file_with(directory, "one.csv", "name,size,time_ms,calls\na,1,2000,5\nb,2,3000,6\n");
  const auto two = file_with(directory, "two.csv", "calls;Time[s];note;size;name\n7;4.5;x;3;b\n");
  forecast::MeasurementReading reading;
  const forecast::MeasurementTable table = forecast::read_measurements({one, two}, {}, reading);
  CHECK(table.regions == std::vector<std::string>{"a", "b"});
  CHECK(table.find(forecast::ColumnRole::time)->values == std::vector<double>{2, 3, 4.5});
  CHECK(table.find("calls")->values == std::vector<double>{5, 6, 7});
  CHECK(table.region == std::vector<std::uint32_t>{0, 1, 1});
  CHECK(reading.rows == 3);
  const auto three = file_with(directory, "three.csv", "name,size,time_s\na,1,2\n");
  CHECK_THROWS_WITH_AS(
      forecast::read_measurements({one, three}, {}, reading),
      (three.string() + ": line 1: found no column of \"calls\", expected the same "
                        "columns as in the first file")
          .c_str(),
      FormatError);
  const auto four =
      file_with(directory, "four.csv", "name,size,time_s,calls,energy_j\na,1,2,5,6\n");
  CHECK_THROWS_WITH_AS(forecast::read_measurements({one, four}, {}, reading),
                       doctest::Contains("found a column that the first file does not have"),
                       FormatError);
}

TEST_CASE("a file that can't be read says why") {
  const store::TemporaryDirectory directory;
  forecast::MeasurementReading reading;
  CHECK_THROWS_WITH_AS(forecast::read_measurements({directory.path()}, {}, reading),
                       ("can't read " + directory.path().string() + ": Is a directory").c_str(),
                       SystemError);
  CHECK_THROWS_AS(forecast::read_measurements({directory.path() / "none.csv"}, {}, reading),
                  SystemError);
  CHECK_THROWS_AS(forecast::read_measurements({}, {}, reading), UsageError);
}

TEST_CASE("progress is in bytes, of all files together") {
  const store::TemporaryDirectory directory;
  const auto file = file_with(directory, "one.csv", "size,time_s\n1,2\n");
  forecast::MeasurementCsvOptions options;
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  options.progress = [&](std::uint64_t read, std::uint64_t total) {
    last = read;
    all = total;
  };
  forecast::MeasurementReading reading;
  forecast::read_measurements({file, file}, options, reading);
  CHECK(last == 32);
  CHECK(all == 32);
}

TEST_CASE("components of a heterogeneous job are one run, step by step") {
  const forecast::ReadRows rows = forecast::read_rows(
      "JobID|NTasks|NNodes|AllocCPUS|ElapsedRaw|ConsumedEnergyRaw\n"
      "7+0.0|8|1|16|100|4000\n7+1.0|4|2|8|120|6000\n8.0|12|3|24|90|9000\n7+0.1|8|1|16|10|400\n");
  CHECK(rows.of(forecast::ColumnRole::processes) == std::vector<double>{12, 12, 8});
  CHECK(rows.of(forecast::ColumnRole::nodes) == std::vector<double>{3, 3, 1});
  CHECK(rows.of(forecast::ColumnRole::threads) == std::vector<double>{2, 2, 2});
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{120, 90, 10});
  CHECK(rows.of(forecast::ColumnRole::energy) == std::vector<double>{10000, 9000, 400});
  CHECK(rows.reading.kept == 3);
  CHECK(rows.remarks("3 rows of components of heterogeneous jobs are 2 runs"));
  CHECK(forecast::read_rows("JobID|time_s\n7_1|1\n7_2|2\nx+1|3\n").table.rows() == 3);
}
