#include "aggregator/forecast/table/detail/given_values.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/table/read_rows.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;

namespace {

MeasurementCsvOptions set(const std::string& role, const std::string& value) {
  MeasurementCsvOptions options;
  options.values[role] = value;
  return options;
}

MeasurementCsvOptions from_name(const std::string& role, const std::string& pattern) {
  MeasurementCsvOptions options;
  options.name_patterns[role] = pattern;
  return options;
}

double value_of(const std::string& role, const std::string& pattern, const std::string& file) {
  return given_value(role, file, from_name(role, pattern))->number;
}

}  // namespace

TEST_CASE("what no column holds may be given for all rows") {
  MeasurementCsvOptions options = set("threads", "4");
  options.values["size"] = "64x64x32";
  options.values["frequency"] = "2400MHz";
  options.values["region"] = "main";
  const ReadRows rows = read_rows("calls,time_s\n5,1\n6,2\n", options);
  CHECK(rows.of(ColumnRole::threads) == std::vector<double>{4, 4});
  CHECK(rows.of(ColumnRole::size) == std::vector<double>{131072, 131072});
  CHECK(rows.of(ColumnRole::frequency) == std::vector<double>{2.4, 2.4});
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{1, 2});
  CHECK(rows.of("calls") == std::vector<double>{5, 6});
  CHECK(rows.table.find(ColumnRole::frequency)->unit == "GHz");
  CHECK(rows.table.regions == std::vector<std::string>{"main"});
  CHECK(rows.remarks("threads from --set threads=4"));
  CHECK(rows.remarks("region from --set region=main"));
}

TEST_CASE("a frequency that is given has a unit") {
  CHECK(error_of("n,time_s\n1,1\n", set("frequency", "2400")) ==
        "--set frequency=2400: expected a frequency with its unit, such as 2.4GHz");
  CHECK(error_of("n,time_s\n1,1\n", from_name("frequency", "rows{}*.csv"))
            .find("expected a frequency with its unit, such as 2.4GHz where {} stands") !=
        std::string::npos);
}

TEST_CASE("what a column holds can't be given otherwise") {
  CHECK(error_of("size,cores,time_s\n1,2,3\n", set("threads", "1")) ==
        "rows.csv: line 1: found a column of the threads, \"cores\", expected none, as --set "
        "threads=1 says it for all rows: leave that away, or rename the column if it holds "
        "something else");
  CHECK(error_of("name,time_s\na,3\n", set("region", "main"))
            .find("found a column of the region, \"name\"") != std::string::npos);
}

TEST_CASE("options that name no value, no role or too much are errors") {
  const std::string text = "n,time_s\n1,2\n";
  CHECK(error_of(text, set("threads", "1.5")) ==
        "--set threads=1.5: expected a whole number of at least 1");
  for (const char* value : {"0", "-1", "", "many", "1e400", "nan", "inf", "1 2"})
    CHECK_MESSAGE(!error_of(text, set("processes", value)).empty(), value);
  for (const char* value : {"0", "2.4 s", "GHz", "-2GHz", ""})
    CHECK_MESSAGE(!error_of(text, set("frequency", value)).empty(), value);
  CHECK(error_of(text, set("size", "x")).starts_with("--set size=x: expected a number above 0"));
  CHECK(error_of(text, set("region", "")) == "--set region=: expected a name");
  CHECK(error_of(text, set("time", "1")) ==
        "--set time: expected one of size, processes, threads, frequency, nodes, ranks_per_node, "
        "packages, region: what was "
        "measured stands in columns");
  MeasurementCsvOptions both = set("threads", "1");
  both.name_patterns["threads"] = "{}.csv";
  CHECK(error_of(text, both) ==
        "--set and --from-name both give the threads: expected one of them");
  CHECK(error_of(text, from_name("threads", "rows.csv")).find("expected {} once in the pattern") !=
        std::string::npos);
}

TEST_CASE("a file's name gives what its columns don't") {
  const TemporaryDirectory directory;
  const auto one = directory.path() / "run_64_p4_solve.csv";
  const auto two = directory.path() / "run_128_p16_exchange.csv";
  put_file(one, "time_s\n1\n2\n");
  put_file(two, "calls,size,time_s\n7,100,3\n");
  MeasurementCsvOptions options;
  options.name_patterns = {
      {"size", "run_{}_*.csv"}, {"processes", "*_p{}_*"}, {"region", "run_*_p*_{}.csv"}};
  options.variables = {};
  MeasurementReading reading;
  put_file(two, "size,time_s\n100,3\n");
  const MeasurementTable table = read_measurements({one, two}, options, reading);
  // The second file has a column of sizes, which comes first.
  CHECK(table.find(ColumnRole::size)->values == std::vector<double>{64, 64, 100});
  CHECK(table.find(ColumnRole::processes)->values == std::vector<double>{4, 4, 16});
  CHECK(table.find(ColumnRole::time)->values == std::vector<double>{1, 2, 3});
  CHECK(table.regions == std::vector<std::string>{"solve", "exchange"});
  CHECK(table.region == std::vector<std::uint32_t>{0, 0, 1});
}

TEST_CASE("files in another order of columns are given their own values") {
  const TemporaryDirectory directory;
  const auto one = directory.path() / "n8.csv";
  const auto two = directory.path() / "n16.csv";
  put_file(one, "threads,time_s\n1,10\n");
  put_file(two, "size,time_s,threads\n99,20,2\n");
  MeasurementReading reading;
  const MeasurementTable table =
      read_measurements({two, one}, from_name("size", "n{}.csv"), reading);
  CHECK(table.find(ColumnRole::size)->values == std::vector<double>{99, 8});
  CHECK(table.find(ColumnRole::threads)->values == std::vector<double>{2, 1});
  CHECK(table.find(ColumnRole::time)->values == std::vector<double>{20, 10});
}

TEST_CASE("of a number in a name all of it counts") {
  CHECK(value_of("size", "*{}.csv", "run128.csv") == 128);
  CHECK(value_of("size", "run{}*", "run64x64x32_a.csv") == 131072);
  CHECK(value_of("size", "run_{}.csv", "run_1e6.csv") == 1e6);
  CHECK(value_of("frequency", "*_{}*.csv", "run_2.4GHz_b.csv") == 2.4);
  CHECK(value_of("frequency", "*_{}.csv", "run_2400MHz.csv") == 2.4);
  CHECK(value_of("threads", "*t{}*", "./x//t08.csv") == 8);
}

TEST_CASE("a pattern is about as many parts at the end of a file's path as it has itself") {
  CHECK(value_of("size", "run_{}.csv", "data/2024/run_128.csv") == 128);
  CHECK(value_of("size", "{}/time.csv", "/data/64/time.csv") == 64);
  CHECK(value_of("size", "n{}/*/time.csv", "/data/n64/a/time.csv") == 64);
  CHECK(value_of("size", "/data/{}.csv", "/data/64.csv") == 64);
  CHECK(value_of("size", "*_{}_*.csv", "a_8_.csv") == 8);
  CHECK(value_of("size", "*/p{}.csv", "x/y/p8.csv") == 8);
  CHECK(given_value("region", "x/ab", from_name("region", "a*{}"))->text == "b");
  using Name = std::pair<const char*, const char*>;
  for (const auto& [pattern, file] :
       {Name{"run_{}.csv", "data/xrun_128.csv"}, Name{"run_{}.csv", "run_128.csv.old"},
        Name{"run_{}.csv", "run_.csv"}, Name{"{}/time.csv", "64/other.csv"},
        Name{"{}/*/time.csv", "64/time.csv"}}) {
    INFO(pattern, " and ", file);
    CHECK_THROWS_AS(given_value("size", file, from_name("size", pattern)), UsageError);
  }
  CHECK_THROWS_AS(check_given_values(from_name("size", "{}_{}")), UsageError);
  CHECK_THROWS_AS(check_given_values(from_name("size", "")), UsageError);
}

TEST_CASE("an error names the files whose names give nothing, or several values") {
  const std::string text = "n,time_s\n1,2\n";
  CHECK(error_of(text, from_name("threads", "t{}.csv")) ==
        "--from-name threads=t{}.csv: the name of rows.csv is not like this: expected a whole "
        "number of at least 1 where {} stands, and * for whatever differs between names");
  CHECK(error_of(text, from_name("threads", "{}.csv")).find("the name of rows.csv is not") !=
        std::string::npos);
  CHECK_THROWS_WITH_AS(
      given_value("threads", "dir/run_4_8.csv", from_name("threads", "*_{}*")),
      "--from-name threads=*_{}*: in the name of dir/run_4_8.csv, {} may be \"4\" or \"8\": "
      "expected a pattern that leaves one",
      UsageError);
  CHECK_THROWS_AS(given_value("region", "a_b_c.csv", from_name("region", "{}_*")), UsageError);
  CHECK_THROWS_WITH_AS(given_value("size", kStandardInput, from_name("size", "{}")),
                       "--from-name size={}: standard input has no name: --set size=... gives it",
                       UsageError);
}

TEST_CASE("rows that huddle forecast collect wrote may lack a role, too") {
  MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{ColumnRole::size, "size", "", {7}}, {ColumnRole::time, "time", "s", {3}}};
  const ReadRows rows = read_rows(format_measurements(table), set("processes", "16"));
  CHECK(rows.of(ColumnRole::processes) == std::vector<double>{16});
  CHECK(rows.of(ColumnRole::size) == std::vector<double>{7});
  CHECK(rows.remarks("Taken: processes from --set processes=16."));
}

TEST_CASE("a file that holds no numbers isn't one of rows because of what is given") {
  CHECK(error_of("note\nabc\n", set("threads", "1")).find("found no column of numbers") !=
        std::string::npos);
}
