#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

namespace {

MeasurementCsvOptions leave_out_bad_rows() {
  MeasurementCsvOptions options;
  options.leave_out_bad_rows = true;
  return options;
}

}  // namespace

TEST_CASE("rows with missing values or without finite numbers are left out, counted and placed") {
  const ReadRows rows =
      read_rows("size,Time[s],calls\n1,2,3\n2,nan,3\n3,,3\n4,1e400,3\n5,6,NA\n,inf,\n7,8,9\n");
  CHECK(rows.of(ColumnRole::size) == std::vector<double>{1, 7});
  CHECK(rows.reading.rows == 7);
  CHECK(rows.reading.kept == 2);
  REQUIRE(rows.reading.left_out.size() == 2);
  CHECK(rows.reading.left_out[0] ==
        LeftOutRows{"not a finite number", 2, "rows.csv, line 3, column 2 (Time[s])"});
  CHECK(rows.reading.left_out[1] ==
        LeftOutRows{"a value is missing", 3, "rows.csv, line 4, column 2 (Time[s])"});
}

TEST_CASE(
    "text in a column of numbers is an error with line and column, or left out if asked for") {
  const std::string text = "size,time_s\n1,2\n2,abc\n3,4\n";
  CHECK(error_of(text) ==
        "rows.csv: line 3, column 2 (time_s): found \"abc\", expected a number, with \".\" as the "
        "decimal mark (--decimal-mark): correct it, or leave out all rows like this with "
        "--leave-out-bad-rows");
  const ReadRows rows = read_rows(text, leave_out_bad_rows());
  CHECK(rows.of(ColumnRole::size) == std::vector<double>{1, 3});
  REQUIRE(rows.reading.left_out.size() == 1);
  CHECK(rows.reading.left_out[0].first == "rows.csv, line 3, column 2 (time_s)");
  CHECK(error_of("size,time_s\n1,0:12.5\n").find("line 2, column 2 (time_s): found \"0:12.5\"") !=
        std::string::npos);
  CHECK(error_of("size,freq\n1,2 GHz\n2,3 apples\n").find("found \"3 apples\"") !=
        std::string::npos);
}

TEST_CASE("text behind a number is no unit if plain numbers stand beside it, or if it has digits") {
  for (const std::string found : {"12abc", "0x10", "64x64", "12k2"}) {
    INFO(found);
    CHECK(error_of("size,time_s\n" + found + ",1\n2,2\n3,4\n")
              .find("line 2, column 1 (size): found \"" + found + "\"") != std::string::npos);
  }
  CHECK(error_of("size,time_s\n64x64x64,1\n128x64x64,2\n").find("found \"64x64x64\"") !=
        std::string::npos);
  CHECK(error_of("size,time_s\n1KB,2\n2KB,3\n").find("found \"1KB\"") != std::string::npos);
}

TEST_CASE("of several cells with text in a row the error names the first one and its place") {
  CHECK(error_of("size,time_s,energy_j\n1,2,3\n4,fast,much\n")
            .find("line 3, column 2 (time_s): found \"fast\"") != std::string::npos);
}

TEST_CASE("another decimal mark further down is an error") {
  CHECK(error_of("size;time_s\n1;2.5\n2;2,5\n").find("line 3, column 2 (time_s): found \"2,5\"") !=
        std::string::npos);
  CHECK(error_of("size;time_s\n1;2,5\n2;2.5\n").find("line 2, column 2 (time_s): found \"2,5\"") !=
        std::string::npos);
  CHECK(error_of("size;time_s\n1;1.234,5\n").find("found \"1.234,5\"") != std::string::npos);
}

TEST_CASE("rows with too few or too many columns are errors") {
  CHECK(
      error_of("size,time_s\n1\n2,3\n") ==
      "rows.csv: line 2: found 1 column, expected 2 columns, as the header in line 1 has "
      "(--separator): correct it, or leave out all rows like this with --leave-out-bad-rows");
  CHECK(error_of("size,time_s\n1,2,3\n").find("line 2: found 3 columns") != std::string::npos);
  const ReadRows rows = read_rows("size,time_s\n1\n2,3\n4,5,6\n", leave_out_bad_rows());
  CHECK(rows.table.rows() == 1);
  CHECK(rows.reading.left_out.size() == 2);
}

TEST_CASE("a file that was cut short says so") {
  CHECK(error_of("size,time_s,energy_j\n1,2,3\n2,3").find("the file is cut short") !=
        std::string::npos);
  CHECK(error_of("size,time_s,energy_j\n1,2,3\n2,3,").find("the file is cut short") !=
        std::string::npos);
  CHECK(error_of("name,time_s\n\"abc,1\n2,3\n") ==
        "rows.csv: line 2: found a quote that is not closed, expected a second \" where the quoted "
        "field ends: the file may be cut short");
  CHECK(read_rows("size,time_s,energy_j\n1,2,3\n2,3", leave_out_bad_rows()).table.rows() == 1);
}

TEST_CASE("files without a header, without rows and without anything have errors of their own") {
  CHECK(error_of("1,2,3\n4,5,6\n")
            .starts_with("rows.csv: line 1: found numbers, expected a line "
                         "that names the columns"));
  CHECK(error_of("").find("found an empty file, expected a header and rows") != std::string::npos);
  CHECK(error_of("\n\n").find("found the end of the file") != std::string::npos);
  CHECK(error_of("size,time_s\n").find("expected rows of numbers behind the header") !=
        std::string::npos);
  CHECK(error_of("# size,time_s\n").find("found the end of the file") != std::string::npos);
}

TEST_CASE("a file without a column of numbers is an error") {
  CHECK(error_of("note\nabc\nbcd\n") ==
        "rows.csv: line 1: found no column of numbers, expected times, energies, sizes, ...: "
        "--separator and --decimal-mark say how the file is written");
}

TEST_CASE("line ends of old systems are an error, and not taken for one line of numbers") {
  CHECK(error_of("size,time_s\r1,2\r2,3\r") ==
        "rows.csv: line 1: found lines that end in a carriage return alone, expected ends as on "
        "Unix or Windows: tr '\\r' '\\n' converts them");
}

TEST_CASE("rows that another version of huddle forecast collect has written are refused") {
  CHECK(
      error_of("# huddle/measurements 2\nsize,time_s\n1,2\n") ==
      "rows.csv: line 1: found huddle/measurements 2, expected huddle/measurements 1: collect the "
      "rows anew");
}

TEST_CASE("files that are no text are named by what they are") {
  CHECK(error_of("\x1f\x8b\x08\x01").find("found a compressed file") != std::string::npos);
  CHECK(error_of("PK\x03\x04xx").find("a spreadsheet") != std::string::npos);
  CHECK(error_of(std::string_view("\xff\xfes\0i\0", 6)).find("found UTF-16") != std::string::npos);
  CHECK(error_of(std::string_view("a,b\n\0\1\2", 7)).find("binary data") != std::string::npos);
  std::string late = "size,time_s\n";
  for (int i = 0; i < 2000; ++i) late += "1,2\n";
  late += std::string("1,2\0", 4) + "\n";
  CHECK(error_of(late).find("line 2002, column 2 (time_s): found binary data") !=
        std::string::npos);
}

TEST_CASE("a name of two columns is an error, unless neither is used") {
  CHECK(
      error_of("size,x,x\n1,2,3\n") ==
      "rows.csv: line 1, column 3 (x): found a name that column 2 has as well, expected a name for "
      "each column: rename one of them");
  CHECK(error_of("size,time_s,time_s\n1,2,3\n")
            .find("column 3 (time_s): found a name that column 2") != std::string::npos);
  CHECK(read_rows("size,note,note,time_s\n1,a,b,3\n").table.rows() == 1);
}

TEST_CASE("columns that differ by their unit only keep it in their names") {
  const ReadRows rows = read_rows("size,misses [k],misses [M]\n1,2,3\n");
  CHECK(rows.table.columns[1].name == "misses");
  CHECK(rows.table.columns[2].name == "misses [M]");
}

TEST_CASE("where no row can be used, the error says why") {
  CHECK(error_of("size,time_s,energy_j\n1,2,nan\n2,,3\n3,inf,4\n") ==
        "none of 3 rows can be used: in 2 not a finite number, first in rows.csv, line 2, column 3 "
        "(energy_j)");
}

TEST_CASE("one row, and rows of one size, are rows") {
  CHECK(read_rows("size,time_s\n1,2\n").table.rows() == 1);
  CHECK(read_rows("size,time_s\n1,2\n1,3\n").of(ColumnRole::size) == std::vector<double>{1, 1});
}
