#include <doctest/doctest.h>

#include "tests/aggregator/forecast/table/read_rows.hpp"

using namespace huddle;

namespace {

ReadRows dump(const std::string& name, const MeasurementCsvOptions& options = {}) {
  ReadRows rows;
  rows.table = read_measurements({HUDDLE_FIXTURES "/tool-dumps/" + name}, options, rows.reading);
  return rows;
}

std::uint64_t left_out(const ReadRows& rows, std::string_view reason) {
  for (const LeftOutRows& known : rows.reading.left_out)
    if (known.reason == reason) return known.rows;
  return 0;
}

}  // namespace

TEST_CASE("of sacct's table the steps of srun are rows, and nothing else is") {
  const ReadRows rows = dump("sacct-steps.txt");
  CHECK(rows.of(ColumnRole::processes) == std::vector<double>{8, 4, 1});
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{121, 86404, 39});
  CHECK(rows.of(ColumnRole::energy) == std::vector<double>{27340, 12.4e6, 799});
  CHECK(left_out(rows, "a batch script or what Slurm adds, and no step of srun") == 4);
  CHECK(left_out(rows, "a whole job, whose steps are rows of their own") == 4);
  CHECK(left_out(rows, "a job or step that did not complete") == 1);
  CHECK(rows.reading.rows == 12);
}

TEST_CASE("sacct's CPUs are those of all tasks: each has its part of them as threads") {
  const ReadRows rows = dump("sacct-steps.txt");
  CHECK(rows.of(ColumnRole::threads) == std::vector<double>{2, 4, 8});
  CHECK(rows.remarks("threads from \"AllocCPUS\" over \"NTasks\""));
  MeasurementCsvOptions options;
  options.columns["threads"] = {"AllocCPUS"};
  CHECK(dump("sacct-steps.txt", options).of(ColumnRole::threads) == std::vector<double>{16, 16, 8});
}

TEST_CASE("large numbers of sacct may have K, M or G behind them") {
  const ReadRows rows = dump("sacct-steps.txt");
  CHECK(rows.remarks("\"ConsumedEnergy\" (it is \"ConsumedEnergyRaw\" once more)"));
  CHECK(rows.remarks("\"ReqMem\" (its numbers have different things behind them)"));
  CHECK(rows.of("MaxRSS") ==
        std::vector<double>{145792 * 1024.0, 2.25 * 1024 * 1024 * 1024, 700 * 1024.0});
  CHECK(read_rows("n,energy,time_s,freq\n1,1.5K,2,2.4G\n2,3M,3,900M\n").of(ColumnRole::energy) ==
        std::vector<double>{1500, 3e6});
  CHECK(read_rows("n,energy,time_s,freq\n1,1.5K,2,2.4G\n2,3M,3,900M\n").of(ColumnRole::frequency) ==
        std::vector<double>{2.4, 0.9});
  CHECK(error_of("n,energy,time_s\n1,1.5K,2\n2,3X,3\n").find("found \"3X\"") != std::string::npos);
  CHECK(error_of("n,energy,time_s\n1,1.5,2K\n").find("found \"2K\"") != std::string::npos);
}

TEST_CASE("jobs without steps are rows themselves") {
  MeasurementCsvOptions options;
  options.values["processes"] = "4";
  const ReadRows rows = dump("sacct-jobs.txt", options);
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{125, 3723});
  CHECK(rows.of(ColumnRole::energy) == std::vector<double>{28700, 1.25e6});
  CHECK(rows.of(ColumnRole::threads) == std::vector<double>{4, 8});
  CHECK(left_out(rows, "a job or step that did not complete") == 1);
  CHECK(dump("sacct-jobs.txt").of(ColumnRole::threads) == std::vector<double>{16, 32});
  CHECK_FALSE(rows.remarks("\"Elapsed\" has no unit"));
}

TEST_CASE("a bar parts fields, found out or asked for") {
  MeasurementCsvOptions options;
  options.separator = '|';
  CHECK(read_rows("size|time_s\n1|2\n", options).of(ColumnRole::time)[0] == 2);
  CHECK(read_rows("name|size|time_s\n\"a|b\"|1|2\n").table.regions[0] == "a|b");
}

TEST_CASE("durations are times, and no other numbers") {
  CHECK(read_rows("n,time,wait[ms]\n1,00:01:00,7\n2,61,00:00:01\n").of(ColumnRole::time) ==
        std::vector<double>{60, 61});
  CHECK(read_rows("n,time_s,wait[ms]\n1,2,7\n2,3,00:00:01\n").of("wait") ==
        std::vector<double>{7, 1000});
  CHECK(read_rows("n,time_s,cpu\n1,2,00:00:07\n").remarks("\"cpu\" (it holds durations)"));
  CHECK(error_of("size,time_s\n00:00:01,2\n").find("found \"00:00:01\"") != std::string::npos);
  CHECK(error_of("n,time_s,calls\n1,2,7\n2,3,00:00:01\n").find("found \"00:00:01\"") !=
        std::string::npos);
}

TEST_CASE("APEX's tasks are regions, without the counters in front of them") {
  const ReadRows rows = dump("apex-tasks.csv");
  CHECK(rows.table.regions ==
        std::vector<std::string>{"APEX MAIN", "solve(double*, int)", "exchange"});
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{2.5, 9.1, 0.4});
  CHECK(rows.of("num calls") == std::vector<double>{1, 40, 40});
  CHECK(rows.of("PAPI_TOT_INS")[0] == 9e6);
  CHECK(rows.remarks("\"total microseconds\" of APEX is of all threads together"));
  CHECK(error_of("\"counter\",\"num samples\",\"minimum\"\n\"a\",1,2\n") ==
        "rows.csv: line 1: found counters of APEX alone, expected its table of tasks behind them");
}

TEST_CASE("APEX's profiles are timers of ranks, and their threads not the run's") {
  const ReadRows rows = dump("apex-profiles.csv");
  CHECK(rows.of(ColumnRole::time) == std::vector<double>{2.5, 9.1, 2.51, 9});
  CHECK(rows.table.find(ColumnRole::threads) == nullptr);
  CHECK(left_out(rows, "a counter of APEX, and no timer") == 1);
  CHECK(rows.remarks("\"num threads\" is how many threads a timer of APEX ran on"));
  CHECK(rows.remarks("\"rank\" numbers ranks or threads: each row is of one of them"));
}

TEST_CASE("Cube's dumps are recognised as those of single threads, or of all together") {
  const ReadRows threads = dump("cube-csv2.csv");
  CHECK(threads.of(ColumnRole::time) == std::vector<double>{0.25, 0.5, 1.5, 1.75});
  CHECK(threads.remarks("\"Thread ID\" numbers ranks or threads: each row is of one of them"));
  const ReadRows sums = dump("cube-csv2-sums.csv");
  CHECK(sums.of(ColumnRole::time) == std::vector<double>{0.75, 3.25});
  CHECK(sums.remarks("\"time\" of a dump of Cube without threads is of all processes"));
}

TEST_CASE("rows of one rank or thread alone are not called parts of runs") {
  CHECK_FALSE(read_rows("rank,size,time_s\n0,1,2\n0,2,3\n").remarks("numbers ranks"));
}

TEST_CASE("tables of Hatchet, Caliper and ParaProf have their regions and inclusive times") {
  const ReadRows hatchet = dump("hatchet.csv");
  CHECK(hatchet.table.regions == std::vector<std::string>{"main", "solve"});
  CHECK(hatchet.of(ColumnRole::time) == std::vector<double>{2, 1.75});
  CHECK(hatchet.of("time") == std::vector<double>{0.25, 1.75});
  const ReadRows caliper = dump("caliper.csv");
  CHECK(caliper.table.regions == std::vector<std::string>{"main", "main/solve"});
  CHECK(caliper.of(ColumnRole::processes) == std::vector<double>{4, 4});
  CHECK(caliper.of(ColumnRole::time) == std::vector<double>{2.1, 1.9});
  const ReadRows paraprof = dump("paraprof.tsv");
  CHECK(paraprof.of(ColumnRole::time) == std::vector<double>{2.5, 2.4});
  CHECK(paraprof.remarks("taken for us"));
}
