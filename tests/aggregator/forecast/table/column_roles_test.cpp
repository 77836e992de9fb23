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
  CHECK(rows.warns("\"Inclusive Time\" has no unit: taken for s; --column time="));
}

TEST_CASE("units are those of the header, of the cells, or of an option") {
  const forecast::ReadRows rows =
      forecast::read_rows("n\ttime\tFreq\n1\t5 ms\t1700MHz\n2\t6 s\t1.8 GHz\n");
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
  CHECK(forecast::error_of("n,t\n1,2\n", options) ==
        "rows.csv has no column \"x\": its columns are n, t");
}

TEST_CASE(
    "of columns of one role the best name is taken, then the base unit; else it is asked for") {
  const forecast::ReadRows rows = forecast::read_rows(
      "n,Exclusive Time[s],Inclusive Time[s],Energy[Wh],Energy[J]\n1,1,2,1,3600\n2,2,3,2,7200\n");
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{2, 3});
  CHECK(rows.of(forecast::ColumnRole::energy) == std::vector<double>{3600, 7200});
  CHECK(rows.of("Exclusive Time") == std::vector<double>{1, 2});
  CHECK(rows.table.columns.size() == 4);
  CHECK(rows.remarks("Not used (may tell what is to be predicted): \"Energy[Wh]\"."));
  CHECK(forecast::error_of("n,Time[s],time_s\n1,2,3\n") ==
        "rows.csv: line 1, column 3 (time_s): found a column that may hold the time as well as "
        "\"Time[s]\" does, expected one: --column \"time=Time[s]\" or --column \"time=time_s\" "
        "says which");
}

TEST_CASE("columns are named by options as in the header") {
  forecast::MeasurementCsvOptions options;
  options.columns["energy"] = {"pkg_energy", "DRAM_energy"};
  options.columns["region"] = {"what"};
  const forecast::ReadRows rows =
      forecast::read_rows("n,pkg_energy,dram_energy,what\n1,2,3,x\n", options);
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 5);
  CHECK(rows.table.regions[0] == "x");
  options.columns = {{"size", {"m"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options) ==
        "rows.csv has no column \"m\": its columns are n, t");
  options.columns = {{"colour", {"n"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options).find("expected one") != std::string::npos);
  options.columns = {{"size", {"n", "t"}}};
  CHECK(forecast::error_of("n,t\n1,2\n", options)
            .starts_with("2 columns for \"size\": expected one"));
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
  CHECK(rows.remarks("Not used (text): \"host\"."));
  CHECK(rows.remarks("Not used (numbers of runs or places): \"run\"."));
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
  CHECK(
      forecast::error_of("size,cores,time_s\n1,2,3\n", set("threads", "1")) ==
      "rows.csv: line 1: found a column of the threads, \"cores\", expected none, as --set "
      "threads=1 says it for all rows: leave that away, or add --column \"-=cores\" if the column "
      "holds something else");
}

TEST_CASE("options that give no value or no role are errors") {
  const std::string text = "n,time_s\n1,2\n";
  CHECK(forecast::error_of(text, set("threads", "1.5")) ==
        "--set threads=1.5: expected a whole number of at least 1");
  for (const char* value : {"0", "-1", "", "many", "1e400", "nan", "inf", "1 2"})
    CHECK_MESSAGE(!forecast::error_of(text, set("processes", value)).empty(), value);
  CHECK(forecast::error_of(text, set("frequency", "2400")) ==
        "--set frequency=2400: expected a frequency with its unit, such as 2.4GHz");
  CHECK(forecast::error_of(text, set("size", "x"))
            .starts_with("--set size=x: expected a number above 0"));
  CHECK(forecast::error_of(text, set("region", "")) == "--set region=: expected a name");
  CHECK(
      forecast::error_of(text, set("time", "1")).starts_with("--set time: expected one of size, "));
}

TEST_CASE("a name of two columns is an error, unless neither is used") {
  CHECK(forecast::error_of("size,x,x\n1,2,3\n") ==
        "rows.csv: line 1, column 3 (x): found a name that another column has as well, expected a "
        "name for each column: rename one of them");
  CHECK(forecast::read_rows("size,note,note,time_s\n1,a,b,3\n").table.rows() == 1);
}

TEST_CASE("the unit in the name of a column holds if an option gives the column its role") {
  forecast::MeasurementCsvOptions options;
  options.columns = {{"time", {"solve_time_ms"}},
                     {"energy", {"nodeEnergyKWh"}},
                     {"frequency", {"AVG_CPUFREQ_KHZ"}}};
  const forecast::ReadRows rows = forecast::read_rows(
      "n,solve_time_ms,nodeEnergyKWh,AVG_CPUFREQ_KHZ\n100,4002,0.001,2400000\n", options);
  CHECK(rows.of(forecast::ColumnRole::time)[0] == 4.002);
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 3600);
  CHECK(rows.of(forecast::ColumnRole::frequency)[0] == 2.4);
  CHECK(rows.reading.warnings.empty());
  options.columns = {{"time", {"solve_time_ms:us"}}};
  CHECK(forecast::read_rows("n,solve_time_ms\n1,5\n", options).of(forecast::ColumnRole::time)[0] ==
        5e-6);
}

TEST_CASE("units in a column of their own hold for each row") {
  forecast::MeasurementCsvOptions options;
  options.columns["time"] = {"real_time"};
  const std::string header = "size,real_time,cpu_time,time_unit\n";
  const forecast::ReadRows rows =
      forecast::read_rows(header + "64,900,800,ns\n512,20,16,us\n1024,5,4,s\n", options);
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{9e-7, 2e-5, 5});
  CHECK(rows.of("cpu_time") == std::vector<double>{8e-7, 1.6e-5, 4});
  CHECK(rows.remarks("units from \"time_unit\""));
  CHECK(rows.reading.warnings.empty());
  CHECK(forecast::error_of(header + "64,1,1,ns\n64,1,1,GHz\n", options)
            .starts_with("rows.csv: line 3, column 4 (time_unit): found \"GHz\", expected the unit "
                         "of a time, energy"));
  CHECK(forecast::read_rows(header + "64,1,1,ns\n64,1,1,\n", options).reading.left_out[0].rows ==
        1);
}

TEST_CASE("a time for each operation is a time, and a rate is none") {
  forecast::MeasurementCsvOptions options;
  options.columns = {{"time", {"Score"}}, {"size", {"Param: n"}}};
  const std::string header = "\"Benchmark\",\"Mode\",\"Threads\",\"Score\",\"Unit\",\"Param: n\"\n";
  const forecast::ReadRows rows = forecast::read_rows(
      header + "\"a.B\",\"avgt\",1,250,\"ns/op\",10\n\"a.B\",\"avgt\",1,3,\"ms/op\",20\n", options);
  CHECK(rows.of(forecast::ColumnRole::time) == std::vector<double>{2.5e-7, 3e-3});
  CHECK(forecast::error_of(header + "\"a.B\",\"thrpt\",1,250,\"ops/s\",10\n", options)
            .find("found \"ops/s\"") != std::string::npos);
}

TEST_CASE("a column of units serves only columns without a unit, and of its own dimension") {
  const forecast::ReadRows rows = forecast::read_rows("n,time_ms,energy,unit\n1,5,7,kJ\n");
  CHECK(rows.of(forecast::ColumnRole::time)[0] == 0.005);
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 7000);
  CHECK(forecast::read_rows("n,time_s,unit\n1,5,physics\n").remarks("Not used (text): \"unit\""));
}

TEST_CASE("CodeCarbon's energies are in kWh, and its region is a place") {
  const forecast::ReadRows rows = forecast::read_rows(
      "run_id,duration,emissions,emissions_rate,cpu_power,energy_consumed,region,n\n"
      "a,36,0.1,0.01,100,0.001,north,100\n");
  CHECK(rows.of(forecast::ColumnRole::energy)[0] == 3600);
  CHECK(rows.of(forecast::ColumnRole::time)[0] == 36);
  CHECK(rows.table.regions == std::vector<std::string>{""});
  CHECK(rows.table.columns.size() == 3);
  CHECK(rows.remarks("The columns are CodeCarbon's"));
  CHECK(rows.remarks("Not used (the place of the computer): \"region\"."));
  CHECK(rows.reading.warnings.empty());
}

TEST_CASE("a power that no machine draws is questioned, and others are not") {
  const std::string header = "n,nodes,time_s,energy_j\n";
  CHECK(forecast::read_rows(header + "1,1,100,0.004\n")
            .warns("\"energy\" over \"time\" is 40 uW in 1 of 1 row (the first of them): no "
                   "machine draws less than 1 mW"));
  CHECK(forecast::read_rows(header + "1,2,100,4e6\n").warns("is 40 kW in 1 of 1 row"));
  CHECK_FALSE(forecast::read_rows(header + "1,8,100,4e6\n").warns("no machine"));
  CHECK_FALSE(forecast::read_rows(header + "1,1,100,30000\n1,1,100,0\n").warns("no machine"));
  CHECK_FALSE(forecast::read_rows("ranks,time_s,energy_j\n64,1,400000\n").warns("no machine"));
  CHECK_FALSE(forecast::read_rows("n,time_s\n64,1\n").warns("no machine"));
}

TEST_CASE("cores that are a multiple of the processes in all rows are those of the whole run") {
  const std::string text = "ranks,cores,time_s\n16,16,4\n32,32,2\n";
  const forecast::ReadRows rows = forecast::read_rows(text);
  CHECK(rows.of(forecast::ColumnRole::threads) == std::vector<double>{1, 1});
  CHECK(rows.remarks("\"cores\" is taken for the cores of the whole run"));
  // Perhaps these are of each process.
  const forecast::ReadRows same = forecast::read_rows("ranks,NCPUS,time_s\n1,4,4\n2,4,2\n");
  CHECK(same.of(forecast::ColumnRole::threads) == std::vector<double>{4, 2});
  CHECK(same.warns("\"NCPUS\" is taken for the cores of the whole run"));
  forecast::MeasurementCsvOptions options;
  options.columns["threads"] = {"cores"};
  CHECK(forecast::read_rows(text, options).of(forecast::ColumnRole::threads) ==
        std::vector<double>{16, 32});
  CHECK(
      forecast::read_rows("ranks,cores,time_s\n2,8,4\n3,8,2\n").of(forecast::ColumnRole::threads) ==
      std::vector<double>{8, 8});
  CHECK(forecast::read_rows("ranks,threads,time_s\n2,8,4\n4,8,2\n")
            .of(forecast::ColumnRole::threads) == std::vector<double>{8, 8});
  CHECK(
      forecast::read_rows("ranks,cores,time_s\n1,8,4\n1,4,2\n").of(forecast::ColumnRole::threads) ==
      std::vector<double>{8, 4});
}

TEST_CASE("an option leaves a column without a role") {
  forecast::MeasurementCsvOptions options = set("threads", "1");
  options.columns["-"] = {"cores", "region"};
  const forecast::ReadRows rows =
      forecast::read_rows("region,ranks,cores,time_s\nnorth,16,16,4\nnorth,32,32,2\n", options);
  CHECK(rows.of(forecast::ColumnRole::threads) == std::vector<double>{1, 1});
  CHECK(rows.of("cores") == std::vector<double>{16, 32});
  CHECK(rows.table.regions == std::vector<std::string>{""});
}
