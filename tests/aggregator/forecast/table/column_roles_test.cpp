#include <doctest/doctest.h>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

namespace {

forecast::MeasurementCsvOptions set(const std::string& role, const std::string& value) {
  forecast::MeasurementCsvOptions options;
  options.values[role] = value;
  return options;
}

}  // namespace

TEST_CASE("rows of a measured program are read as they are published") {
  forecast::MeasurementReading reading;
  const forecast::MeasurementTable table =
      forecast::read_measurements({HUDDLE_FIXTURES "/energy-arm/data-bs.csv"}, {}, reading);
  CHECK(table.rows() == 48);
  CHECK(table.regions == std::vector<std::string>{""});
  CHECK(table.columns.size() == 5);
  CHECK(table.find(forecast::ColumnRole::processes)->values[47] == 1);
  CHECK(table.find(forecast::ColumnRole::threads)->values[47] == 48);
  CHECK(table.find(forecast::ColumnRole::frequency)->values[0] == 1.73);
  CHECK(table.find(forecast::ColumnRole::time)->values[0] == 44.795624959);
  CHECK(table.find(forecast::ColumnRole::energy)->values[0] == 5751.48);
  CHECK(table.find(forecast::ColumnRole::energy)->unit == "J");
  CHECK(reading.kept == 48);
  CHECK(reading.bytes == 2804);
  CHECK(reading.left_out.empty());
}

TEST_CASE("rows by region, with counters and the energy of each node, are read") {
  forecast::MeasurementCsvOptions options;
  options.columns["energy"] = {"EnergyNode0", "EnergyNode1"};
  const forecast::ReadRows rows = forecast::read_rows(
      "Region,ProbSize,Procs,Threads,NumCalls,Inclusive Time,Exclusive "
      "Time,EnergyNode0,EnergyNode1,PAPI_L3_TCM\n"
      "solve,4096,4,2,17,5.5,3,100,200.5,123456\n"
      "\"init, first\",4096,4,2,1,1.5,1.5,10,20,456\n"
      "solve,8192,4,2,17,9,8,200,300,234567\n",
      options);
  CHECK(rows.table.regions == std::vector<std::string>{"solve", "init, first"});
  CHECK(rows.table.region == std::vector<std::uint32_t>{0, 1, 0});
  CHECK(rows.of(forecast::ColumnRole::size) == std::vector<double>{4096, 4096, 8192});
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{5.5, 1.5, 9});
  CHECK(rows.of(forecast::ColumnRole::energy) == std::vector<double>{300.5, 30, 500});
  CHECK(rows.table.find(forecast::ColumnRole::energy)->name == "EnergyNode0 + EnergyNode1");
  CHECK(rows.of("Exclusive Time") == std::vector<double>{3, 1.5, 8});
  CHECK(rows.of("NumCalls") == std::vector<double>{17, 1, 17});
  CHECK(rows.of("PAPI_L3_TCM") == std::vector<double>{123456, 456, 234567});
  CHECK(rows.remarks("time from \"Inclusive Time\""));
  CHECK(rows.remarks("\"Inclusive Time\" has no unit: taken for s or J"));
}

TEST_CASE("units are those of the header, of the cells, or of an option") {
  const forecast::ReadRows rows = forecast::read_rows("n\ttime\tFreq\n1\t5 ms\t1700MHz\n2\t6 s\t1.8 GHz\n");
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{0.005, 6});
  CHECK(rows.of(forecast::ColumnRole::frequency) == std::vector<double>{1.7, 1.8});
  forecast::MeasurementCsvOptions options;
  options.columns["time"] = {"t:min"};
  CHECK(forecast::read_rows("n,t\n1,2\n", options).of(forecast::ColumnRole::time)[0] == 120);
  options.columns["time"] = {"t:parsec"};
  CHECK(forecast::error_of("n,t\n1,2\n", options) ==
        "\"parsec\" as the unit of \"t\" in rows.csv: expected s, ms, us, ns, min or h");
  CHECK(forecast::error_of("n,time_s\n1,2 J\n").find("found \"2 J\"") != std::string::npos);
}

TEST_CASE("a frequency without a unit is asked for its unit") {
  const std::string text = "n,freq,time_s\n1,2400,1\n";
  CHECK(forecast::error_of(text) ==
        "rows.csv: line 1, column 2 (freq): found a frequency without a unit, expected GHz, MHz, "
        "kHz or Hz: --column \"frequency=freq:UNIT\" says which");
  forecast::MeasurementCsvOptions options;
  options.columns["frequency"] = {"freq:MHz"};
  CHECK(forecast::read_rows(text, options).of(forecast::ColumnRole::frequency)[0] == 2.4);
}

TEST_CASE("an option names a column with its unit, also where the name holds a colon") {
  forecast::MeasurementCsvOptions options;
  options.columns["time"] = {"t:ms"};
  options.columns["energy"] = {"node:0:Wh", "node:1"};
  const forecast::ReadRows rows = forecast::read_rows("t,node:0,node:1\n5,1,2\n", options);
  CHECK(rows.of(forecast::ColumnRole::time)[0] == 0.005);
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 3602);
  options.columns = {{"time", {"x:ms"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options) == "rows.csv has no column \"x\": its columns are n, t");
}

TEST_CASE(
    "of columns of one role the best name is taken, then the base unit; else it is asked for") {
  const forecast::ReadRows rows = forecast::read_rows(
      "n,Exclusive Time[s],Inclusive Time[s],Energy[Wh],Energy[J]\n1,1,2,1,3600\n2,2,3,2,7200\n");
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{2, 3});
  CHECK(rows.of(forecast::ColumnRole::energy) == std::vector<double>{3600, 7200});
  CHECK(rows.of("Exclusive Time") == std::vector<double>{1, 2});
  CHECK(rows.table.columns.size() == 4);
  CHECK(rows.remarks("\"Energy[Wh]\" (it may tell what is to be predicted)"));
  CHECK(forecast::error_of("n,Time[s],time_s\n1,2,3\n") ==
        "rows.csv: line 1, column 3 (time_s): found a column that may hold the time as well as "
        "\"Time[s]\" does, expected one: --column \"time=Time[s]\" or --column \"time=time_s\" "
        "says which");
}

TEST_CASE("columns are named by options as in the header") {
  forecast::MeasurementCsvOptions options;
  options.columns["energy"] = {"pkg_energy", "DRAM_energy"};
  options.columns["region"] = {"what"};
  const forecast::ReadRows rows = forecast::read_rows("n,pkg_energy,dram_energy,what\n1,2,3,x\n", options);
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 5);
  CHECK(rows.table.regions[0] == "x");
  options.columns = {{"size", {"m"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options) == "rows.csv has no column \"m\": its columns are n, t");
  options.columns = {{"colour", {"n"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options).find("expected one") != std::string::npos);
  options.columns = {{"size", {"n", "t"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options).starts_with("2 columns for \"size\": expected one"));
  options.columns = {{"size", {"n"}}, {"time", {"n"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options) == "the column \"n\" is named for two things");
}

TEST_CASE(
    "text, numbers of runs and what tells the energy are no variables, unless they are named") {
  const std::string text =
      "run,host,size,time_s,energy_j,AvgPower[W],PowerCap[W],edp,calls\n"
      "1,a,5,2,200,101,100,400,7\n2,b,6,3,300,99,100,900,8\n";
  const forecast::ReadRows rows = forecast::read_rows(text);
  CHECK(rows.table.columns.size() == 5);
  CHECK(rows.table.find("PowerCap") != nullptr);
  CHECK(rows.table.find("calls") != nullptr);
  CHECK(rows.remarks("\"host\" (it holds text)"));
  CHECK(rows.remarks("\"run\" (it numbers runs or places)"));
  forecast::MeasurementCsvOptions options;
  options.variables = {"run", "calls"};
  const forecast::ReadRows chosen = forecast::read_rows(text, options);
  CHECK(chosen.table.columns.size() == 5);
  CHECK(chosen.of("run") == std::vector<double>{1, 2});
}

TEST_CASE("a value that no column holds may be given for all rows") {
  forecast::MeasurementCsvOptions options = set("threads", "4");
  options.values["size"] = "64x64x32";
  options.values["frequency"] = "2400MHz";
  options.values["region"] = "main";
  const forecast::ReadRows rows = forecast::read_rows("calls,time_s\n5,1\n6,2\n", options);
  CHECK(rows.of(forecast::ColumnRole::threads) == std::vector<double>{4, 4});
  CHECK(rows.of(forecast::ColumnRole::size) == std::vector<double>{131072, 131072});
  CHECK(rows.of(forecast::ColumnRole::frequency) == std::vector<double>{2.4, 2.4});
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{1, 2});
  CHECK(rows.of("calls") == std::vector<double>{5, 6});
  CHECK(rows.table.regions == std::vector<std::string>{"main"});
  CHECK(rows.remarks("threads from --set threads=4"));
  CHECK(forecast::error_of("size,cores,time_s\n1,2,3\n", set("threads", "1")) ==
        "rows.csv: line 1: found a column of the threads, \"cores\", expected none, as --set "
        "threads=1 says it for all rows: leave that away, or rename the column if it holds "
        "something else");
}

TEST_CASE("options that give no value or no role are errors") {
  const std::string text = "n,time_s\n1,2\n";
  CHECK(forecast::error_of(text, set("threads", "1.5")) ==
        "--set threads=1.5: expected a whole number of at least 1");
  for (const char* value : {"0", "-1", "", "many", "1e400", "nan", "inf", "1 2"})
    CHECK_MESSAGE(!forecast::error_of(text, set("processes", value)).empty(), value);
  CHECK(forecast::error_of(text, set("frequency", "2400")) ==
        "--set frequency=2400: expected a frequency with its unit, such as 2.4GHz");
  CHECK(forecast::error_of(text, set("size", "x")).starts_with("--set size=x: expected a number above 0"));
  CHECK(forecast::error_of(text, set("region", "")) == "--set region=: expected a name");
  CHECK(forecast::error_of(text, set("time", "1")).starts_with("--set time: expected one of size, "));
}

TEST_CASE("a name of two columns is an error, unless neither is used") {
  CHECK(forecast::error_of("size,x,x\n1,2,3\n") ==
        "rows.csv: line 1, column 3 (x): found a name that another column has as well, expected a "
        "name for each column: rename one of them");
  CHECK(forecast::read_rows("size,note,note,time_s\n1,a,b,3\n").table.rows() == 1);
}
