#include <doctest/doctest.h>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

TEST_CASE("commas, semicolons, tabs and blanks part fields") {
  for (const char* text :
       {"size,time_s\n1,2.5\n2,3.5\n", "size;time_s\n1;2.5\n2;3.5\n",
        "size\ttime_s\n1\t2.5\n2\t3.5\n", "size time_s\n1 2.5\n2 3.5\n",
        "  size   time_s\n     1   2.5  \n     2\t  3.5\n", "size , time_s\n 1 , 2.5 \n2, 3.5\n"}) {
    const ReadRows rows = read_rows(text);
    CHECK_MESSAGE((rows.of(ColumnRole::size) == std::vector<double>{1, 2}), text);
    CHECK_MESSAGE((rows.of(ColumnRole::time) == std::vector<double>{2.5, 3.5}), text);
  }
}

TEST_CASE("blanks in names don't part them where something else does") {
  const ReadRows rows =
      read_rows("Problem Size,Inclusive Time (s),L3 Total Misses\n1,2,3\n2,3,4\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{2, 3});
  CHECK(rows.of("L3 Total Misses") == std::vector<double>{3, 4});
}

TEST_CASE("the decimal mark may be a comma") {
  const ReadRows rows = read_rows("size;time_s;energy_j\r\n1;1,5;2\r\n2;2,25e1;3\r\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{1.5, 22.5});
  MeasurementCsvOptions options;
  options.decimal_mark = ',';
  CHECK(read_rows("size,time_s\n1,\"2,5\"\n", options).of(ColumnRole::time)[0] == 2.5);
}

TEST_CASE("line ends of Windows, a mark of UTF-8 and a missing last line end change nothing") {
  const MeasurementTable expected = read_rows("size,time_s\n1,2\n3,4\n").table;
  CHECK(read_rows("size,time_s\r\n1,2\r\n3,4\r\n").table == expected);
  CHECK(read_rows("\xef\xbb\xbfsize,time_s\n1,2\n3,4\n").table == expected);
  CHECK(read_rows("size,time_s\n1,2\n3,4").table == expected);
  CHECK(read_rows("\"size\",\"time_s\"\n\"1\",\"2\"\n3,4\n").table == expected);
  CHECK(read_rows("\n\nsize,time_s\n\n1,2\n   \n3,4\n\n").table == expected);
  CHECK(read_rows("size,time_s,\n1,2,\n3,4,\n").table == expected);
  CHECK(read_rows("size,time_s\n1,2,\n3,4,\n").table == expected);
  CHECK(read_rows("size,time_s,\n1,2\n3,4\n").table == expected);
}

TEST_CASE("the header may begin with a mark of comments, and comments are none of it") {
  const MeasurementTable expected = read_rows("size,time_s\n1,2\n3,4\n").table;
  CHECK(read_rows("#size,time_s\n1,2\n3,4\n").table == expected);
  CHECK(read_rows("# measured on Monday, at 3\n# size,time_s\n1,2\n# later\n3,4\n").table ==
        expected);
  CHECK(read_rows("# measured on Monday\nsize,time_s\n1,2\n3,4\n").table == expected);
  CHECK(read_rows("# size,time_s\n# made by a script\n1,2\n3,4\n").table == expected);
}

TEST_CASE("files that were put together with their headers are one") {
  const MeasurementTable expected = read_rows("size,time_s\n1,2\n3,4\n").table;
  const ReadRows rows = read_rows("size,time_s\n1,2\nsize,time_s\n3,4\n");
  CHECK(rows.table == expected);
  CHECK(rows.reading.rows == 2);
}

TEST_CASE("lines drawn below a header or around a table are no rows") {
  const MeasurementTable expected = read_rows("size,time_s\n1,2\n3,4\n").table;
  CHECK(read_rows("size time_s\n---- ------\n1 2\n3 4\n").table == expected);
  CHECK(read_rows("=====\nsize|time_s\n-----+------\n1|2\n3|4\n-----+------\n").table == expected);
  MeasurementTable own;
  own.regions = {""};
  own.region = {0, 0};
  own.columns = {{ColumnRole::variable, "---", "", {1, 2}}};
  CHECK(read_rows(format_measurements(own)).table == own);
  // What is missing is no line.
  CHECK(read_rows("size|time_s\n1|2\n-|-\n3|4\n").reading.rows == 3);
}

TEST_CASE("quoted fields may hold separators, quotes and line ends") {
  const ReadRows rows =
      read_rows("name,time_s\n\"a, \"\"b\"\"\n second line\",2\nit's 5\" long,3\n");
  CHECK(rows.table.regions == std::vector<std::string>{"a, \"b\"\n second line", "it's 5\" long"});
}
