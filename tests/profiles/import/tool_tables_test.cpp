#include "profiles/import/tool_tables.hpp"

#include <doctest/doctest.h>

using namespace huddle;

namespace {

using Row = std::vector<std::string>;

}  // namespace

TEST_CASE("a table whose names no tool gives is none of a tool") {
  const Row names = {"size", "time", "name"};
  const ToolTable table = recognise_tool_table(names, {});
  CHECK(table.columns.empty());
  CHECK(table.notes.empty());
  CHECK(table.tests == std::vector<RowTest>(3));
}

TEST_CASE("of sacct's rows steps of srun are runs, or jobs where there are none") {
  const Row names = {"JobID", "NCPUS", "Elapsed", "ElapsedRaw", "State"};
  const std::vector<Row> steps = {{"7", "4"}, {"7.batch", "4"}, {"7.0", "4"}};
  const std::vector<Row> jobs = {{"7", "4"}, {"8", "4"}};
  CHECK(recognise_tool_table(names, steps).tests[0] == RowTest::job_step);
  const ToolTable table = recognise_tool_table(names, jobs);
  CHECK(table.tests[0] == RowTest::job);
  CHECK(table.tests[4] == RowTest::job_state);
  CHECK(table.cpus_of_all_processes == 1);
  REQUIRE(table.columns.size() == 1);
  CHECK(table.columns[0].column == 2);
  CHECK(table.columns[0].role.empty());
  CHECK(table.columns[0].why_ignored == "it is \"ElapsedRaw\" once more");
}

TEST_CASE("cells say why a row is no run") {
  CHECK(why_no_run(RowTest::job_step, "7.0").empty());
  CHECK(why_no_run(RowTest::job_step, "7_4.12").empty());
  CHECK(why_no_run(RowTest::job_step, "7") == "a whole job, whose steps are rows of their own");
  CHECK(why_no_run(RowTest::job, "7").empty());
  CHECK(why_no_run(RowTest::job, "7.extern") ==
        "a batch script or what Slurm adds, and no step of srun");
  CHECK(why_no_run(RowTest::job_state, "COMPLETED").empty());
  CHECK(why_no_run(RowTest::job_state, "CANCELLED by 1000") ==
        "a job or step that did not complete");
  CHECK(why_no_run(RowTest::apex_type, "counter") == "a counter of APEX, and no timer");
  CHECK(why_no_run(RowTest::none, "anything").empty());
}

TEST_CASE("TAU's times are microseconds, the inclusive one first") {
  const Row names = {"Name", "Exclusive TIME", "Inclusive TIME", "Calls", "Child Calls"};
  const ToolTable table = recognise_tool_table(names, {});
  REQUIRE(table.columns.size() == 1);
  CHECK(table.columns[0].column == 2);
  CHECK(table.columns[0].role == "time");
  CHECK(table.columns[0].unit == "us");
  CHECK(table.notes == Row{"\"Inclusive TIME\" has no unit: taken for us, as TAU writes it; --unit "
                           "\"Inclusive TIME=...\" says otherwise."});
}

TEST_CASE("numbers of ranks are noted only if rows are of several") {
  const Row names = {"rank", "time"};
  CHECK(recognise_tool_table(names, std::vector<Row>{{"0", "1"}, {"0", "2"}}).notes.empty());
  CHECK(recognise_tool_table(names, std::vector<Row>{{"0", "1"}, {"1", "2"}}).notes.size() == 1);
}

TEST_CASE("words are found whole, and names by their letters") {
  CHECK(has_word("size n problem", "n"));
  CHECK_FALSE(has_word("size problem", "n"));
  CHECK_FALSE(has_word("size", ""));
  CHECK(letters_of("Problem Size [k]") == "problemsizek");
  CHECK(header_behind("\"counter\",\"num samples\",\"minimum\"") == "\"task\",");
  CHECK(header_behind("size,time").empty());
}
