#include <doctest/doctest.h>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

TEST_CASE("rows of a measured program are read as they are published") {
  MeasurementReading reading;
  const MeasurementTable table =
      read_measurements({HUDDLE_FIXTURES "/energy-arm/data-bs.csv"}, {}, reading);
  CHECK(table.rows() == 48);
  CHECK(table.regions == std::vector<std::string>{""});
  CHECK(table.columns.size() == 5);
  CHECK(table.find(ColumnRole::processes)->values[47] == 1);
  CHECK(table.find(ColumnRole::threads)->values[47] == 48);
  CHECK(table.find(ColumnRole::frequency)->values[0] == 1.73);
  CHECK(table.find(ColumnRole::time)->values[0] == 44.795624959);
  CHECK(table.find(ColumnRole::energy)->values[0] == 5751.48);
  CHECK(table.find(ColumnRole::energy)->unit == "J");
  CHECK(reading.kept == 48);
  CHECK(reading.bytes == 2804);
  CHECK(reading.left_out.empty());
}

TEST_CASE("rows by region, with counters and the energy of each node, are read") {
  const ReadRows rows = read_rows(
      "Region,ProbSize,Procs,Threads,NumCalls,Inclusive Time,Exclusive "
      "Time,EnergyNode0,EnergyNode1,"
      "PAPI_L3_TCM\n"
      "solve,4096,4,2,17,5.5,3,100,200.5,123456\n"
      "\"init, first\",4096,4,2,1,1.5,1.5,10,20,456\n"
      "solve,8192,4,2,17,9,8,200,300,234567\n");
  CHECK(rows.table.regions == std::vector<std::string>{"solve", "init, first"});
  CHECK(rows.table.region == std::vector<std::uint32_t>{0, 1, 0});
  CHECK(rows.of(ColumnRole::size) == std::vector<double>{4096, 4096, 8192});
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{5.5, 1.5, 9});
  CHECK(rows.of(ColumnRole::energy) == std::vector<double>{300.5, 30, 500});
  CHECK(rows.table.find(ColumnRole::energy)->name == "EnergyNode0 + EnergyNode1");
  CHECK(rows.of("Exclusive Time") == std::vector<double>{3, 1.5, 8});
  CHECK(rows.of("NumCalls") == std::vector<double>{17, 1, 17});
  CHECK(rows.of("PAPI_L3_TCM") == std::vector<double>{123456, 456, 234567});
  CHECK(rows.remarks("time from \"Inclusive Time\""));
  CHECK(rows.remarks("\"Inclusive Time\" has no unit: taken for s"));
}

TEST_CASE("TAU's times are microseconds where the header shows that they are TAU's") {
  const ReadRows rows = read_rows(
      "Name,Inclusive GET_TIME_OF_DAY,Exclusive GET_TIME_OF_DAY,Calls,Subrs\nmain,5000000,4,1,2\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{5});
  CHECK(rows.remarks("taken for us"));
  CHECK(read_rows("Name,Inclusive msec,n\nmain,5,1\n").of(ColumnRole::time)[0] == 0.005);
}

TEST_CASE("a minimum beside the time is no time, and no minutes") {
  const ReadRows rows = read_rows("size,time,min,max\n10,2,1,3\n20,4,3,5\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{2, 4});
  CHECK(rows.of("min") == std::vector<double>{1, 3});
  CHECK(rows.of("max") == std::vector<double>{3, 5});
}

TEST_CASE("a dump of Cube is read, its call paths as regions") {
  const ReadRows rows =
      read_rows("Cnode ID, Thread ID,time,visits\n0,0,1.5,5\n1,0,2,3\n0,1,1.75,5\n");
  CHECK(rows.table.regions == std::vector<std::string>{"0", "1"});
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{1.5, 2, 1.75});
  CHECK(rows.of("visits").size() == 3);
  CHECK(rows.remarks("\"Thread ID\" (it numbers rows, runs or places)"));
}

TEST_CASE("units are those of the header, of the cells, or of an option") {
  const ReadRows rows = read_rows("n\ttime\tFreq\n1\t5 ms\t1700MHz\n2\t6 s\t1.8 GHz\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{0.005, 6});
  CHECK(rows.of(ColumnRole::frequency) == std::vector<double>{1.7, 1.8});
  MeasurementCsvOptions options;
  options.units["t"] = "min";
  options.columns["time"] = {"t"};
  CHECK(read_rows("n,t\n1,2\n", options).of(ColumnRole::time)[0] == 120);
  options.units["t"] = "parsec";
  CHECK(error_of("n,t\n1,2\n", options) ==
        "\"parsec\" as the unit of \"t\" in rows.csv: expected s, ms, us, ns, min or h");
}

TEST_CASE("a frequency without a unit is asked for its unit") {
  const std::string text = "n,freq,time_s\n1,2400,1\n";
  CHECK(error_of(text) ==
        "rows.csv: line 1, column 2 (freq): found a frequency without a unit, expected GHz, MHz, "
        "kHz or Hz: --column \"frequency=freq:UNIT\" says which");
  MeasurementCsvOptions options;
  options.columns["frequency"] = {"freq:MHz"};
  CHECK(read_rows(text, options).of(ColumnRole::frequency)[0] == 2.4);
  options.columns.clear();
  options.units["freq"] = "kHz";
  CHECK(read_rows(text, options).of(ColumnRole::frequency)[0] == 0.0024);
}

TEST_CASE("an option names a column with its unit, also where the name holds a colon") {
  MeasurementCsvOptions options;
  options.columns["time"] = {"t:ms"};
  options.columns["energy"] = {"node:0:Wh", "node:1"};
  const ReadRows rows = read_rows("t,node:0,node:1\n5,1,2\n", options);
  CHECK(rows.of(ColumnRole::time)[0] == 0.005);
  CHECK(rows.of(ColumnRole::energy)[0] == 3602);
  options.columns = {{"time", {"t:parsec"}}};
  CHECK(error_of("n,t\n1,2\n", options) ==
        "\"parsec\" as the unit of \"t\" in rows.csv: expected s, ms, us, ns, min or h");
  options.columns = {{"time", {"x:ms"}}};
  CHECK(error_of("n,t\n1,2\n", options) == "rows.csv has no column \"x:ms\": its columns are n, t");
}

TEST_CASE("of two columns of one thing the inclusive one is taken, then the one of the base unit") {
  const ReadRows rows = read_rows(
      "n,Exclusive Time[s],Inclusive Time[s],Energy[Wh],Energy[J]\n1,1,2,1,3600\n2,2,3,2,7200\n");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{2, 3});
  CHECK(rows.of(ColumnRole::energy) == std::vector<double>{3600, 7200});
  CHECK(rows.of("Exclusive Time") == std::vector<double>{1, 2});
  CHECK(rows.table.columns.size() == 4);
  CHECK(rows.remarks("\"Energy[Wh]\" (it is \"Energy[J]\" once more)"));
}

TEST_CASE("columns of different names that hold the same are asked for, whatever their values") {
  CHECK(error_of("n,walltime_ms,runtime_s\n1,2000,2\n2,3000,3\n")
            .find("--column \"time=walltime_ms\" or --column \"time=runtime_s\"") !=
        std::string::npos);
}

TEST_CASE("what can't be decided is asked for") {
  const std::string text = "n,walltime,runtime\n1,2,3\n";
  CHECK(error_of(text) ==
        "rows.csv: line 1, column 3 (runtime): found a column that may hold the time as well as "
        "\"walltime\" does, expected one: --column \"time=walltime\" or --column \"time=runtime\" "
        "says which");
  MeasurementCsvOptions options;
  options.columns["time"] = {"runtime"};
  CHECK(read_rows(text, options).of(ColumnRole::time)[0] == 3);
  // Parts of the energy are none of it, unless somebody says that they make up the whole.
  CHECK(read_rows("n,pkg_energy,dram_energy,time_s\n1,2,3,4\n").table.find(ColumnRole::energy) ==
        nullptr);
}

TEST_CASE("columns are named by options as in the header, and several energies are added up") {
  MeasurementCsvOptions options;
  options.columns["energy"] = {"pkg_energy", "DRAM_energy"};
  options.columns["region"] = {"what"};
  const ReadRows rows = read_rows("n,pkg_energy,dram_energy,what\n1,2,3,x\n", options);
  CHECK(rows.of(ColumnRole::energy)[0] == 5);
  CHECK(rows.table.regions[0] == "x");
  options.columns = {{"size", {"m"}}};
  CHECK(error_of("n,t\n1,2\n", options) == "rows.csv has no column \"m\": its columns are n, t");
  options.columns = {{"colour", {"n"}}};
  CHECK(error_of("n,t\n1,2\n", options).starts_with("\"colour\" is not what a column can hold"));
  options.columns = {{"size", {"n", "t"}}};
  CHECK(error_of("n,t\n1,2\n", options) == "2 columns for size: expected one");
  options.columns = {{"size", {"n"}}, {"time", {"n"}}};
  CHECK(error_of("n,t\n1,2\n", options) == "the column \"n\" is named for two things");
}

TEST_CASE("text, numbers of runs and what follows from time and energy are no variables") {
  const ReadRows rows = read_rows(
      "run,host,size,time_s,energy_j,AvgPower[W],PowerCap[W],edp,calls\n"
      "1,a,5,2,200,101,100,400,7\n2,b,6,3,300,99,100,900,8\n");
  CHECK(rows.table.columns.size() == 5);
  CHECK(rows.table.find("PowerCap") != nullptr);
  CHECK(rows.table.find("calls") != nullptr);
  CHECK(rows.remarks("\"host\" (it holds text)"));
  CHECK(rows.remarks("\"AvgPower[W]\" (it follows from time, energy or cores)"));
  MeasurementCsvOptions options;
  options.variables = {"run", "calls"};
  const ReadRows chosen =
      read_rows("run,size,time_s,calls,misses\n1,5,2,7,3\n2,6,3,8,4\n", options);
  CHECK(chosen.table.columns.size() == 4);
  CHECK(chosen.of("run") == std::vector<double>{1, 2});
}

TEST_CASE("a variable that is mostly missing is given up, not the rows") {
  const ReadRows rows = read_rows("size,time_s,gpu\n1,2,\n2,3,\n3,4,5\n");
  CHECK(rows.table.rows() == 3);
  CHECK(rows.remarks("\"gpu\" (most of its values are missing)"));
}

TEST_CASE("advice about the units of energies that are added up names each of the columns") {
  const ReadRows rows = read_rows("size,EnergyNode0,EnergyNode1\n1,2,3\n2,3,4\n");
  for (const std::string name : {"EnergyNode0", "EnergyNode1"})
    CHECK(rows.remarks("\"" + name + "\" has no unit: taken for J; --unit \"" + name +
                       "=...\" says otherwise."));
}

TEST_CASE("options say that times or energies are exclusive") {
  MeasurementCsvOptions options;
  options.exclusive = {"time"};
  const ReadRows rows = read_rows("size,time_s,energy_j\n1,2,3\n", options);
  CHECK(rows.table.find(ColumnRole::time)->exclusive);
  CHECK_FALSE(rows.table.find(ColumnRole::energy)->exclusive);
}
