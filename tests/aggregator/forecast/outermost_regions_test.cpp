#include "aggregator/forecast/outermost_regions.hpp"

#include <doctest/doctest.h>

#include "aggregator/forecast/program/program_forecast.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/nested_rows.hpp"

namespace huddle {
namespace {

TEST_CASE("call paths lie inside of the path that they begin with") {
  for (const std::string separator : {" => ", "/", ";", "  =>  "}) {
    const std::string below = "main" + separator + "solve";
    const MeasurementTable table = rows_of({{below + separator + "MPI_Send()", exchange},
                                            {"main", sum_of({solve, exchange, output})},
                                            {below, sum_of({solve, exchange})},
                                            {"main" + separator + "output", output}},
                                           0.01);
    INFO(separator);
    CHECK(passed_over(table).size() == 3);
    const OutermostRegions found = outermost_regions(table);
    REQUIRE(found.containing.size() == 1);
    CHECK(found.containing[0].region == "main");
    CHECK(found.containing[0].inside ==
          Names{below + separator + "MPI_Send()", below, "main" + separator + "output"});
    CHECK(found.containing[0].known_by == ContainedBy::names);
    CHECK(found.energy_inside == found.time_inside);
    CHECK(found.remarks == Names{"\"" + below +
                                 "\" and 2 other regions lie inside of \"main\", "
                                 "and are not added to it: their names say so"});
  }
}

TEST_CASE("a path of which no beginning is a region lies inside of none") {
  const MeasurementTable table =
      rows_of({{"src/solve.c:12", solve}, {"src/output.c", output}, {"a->b", exchange}});
  CHECK(passed_over(table).empty());
}

TEST_CASE("a path whose caller has no rows lies inside of that one's caller") {
  const MeasurementTable table =
      rows_of({{"main", sum_of({solve, exchange})}, {"main/solve/step/MPI_Send", exchange}}, 0.01);
  CHECK(passed_over(table) == Names{"main/solve/step/MPI_Send"});
}

TEST_CASE("regions without rows contain none and lie inside of none") {
  MeasurementTable table = rows_of({{"solve", solve}, {"solve/step", output}});
  table.regions.insert(table.regions.end(), {"main", "main/solve", "solve/step/write"});
  CHECK(passed_over(table) == Names{"solve/step"});
  table.regions = {"solve", "step", "main"};
  CHECK(passed_over(table).empty());
  table.regions = {"main", "step", "output"};
  CHECK(passed_over(table) == Names{"step"});
  CHECK(outermost_regions(table).containing[0].inside == Names{"step"});
}

TEST_CASE("regions of the same name below different callers lie inside of these") {
  const MeasurementTable table = rows_of({{"solve", sum_of({solve, exchange})},
                                          {"solve => MPI_Send()", exchange},
                                          {"output", sum_of({output, times(0.2, output)})},
                                          {"output => MPI_Send()", times(0.2, output)}});
  CHECK(passed_over(table) == Names{"solve => MPI_Send()", "output => MPI_Send()"});
  CHECK(seconds_at_most(table) ==
        doctest::Approx(solve(kMost) + exchange(kMost) + 1.2 * output(kMost)));
}

TEST_CASE("TAU's rows of single functions hold the same as the paths that end in them") {
  const Law all = sum_of({solve, exchange, output});
  const MeasurementTable deep = rows_of({{"main", all},
                                         {"solve", sum_of({solve, times(0.5, exchange)})},
                                         {"MPI_Send()", exchange},
                                         {"main => solve", sum_of({solve, times(0.5, exchange)})},
                                         {"main => solve => MPI_Send()", times(0.5, exchange)},
                                         {"main => MPI_Send()", times(0.5, exchange)}});
  CHECK(passed_over(deep).size() == 5);
  CHECK(seconds_at_most(deep) == doctest::Approx(all(kMost)));
  // Paths of two functions, TAU's default.
  const MeasurementTable shallow = rows_of({{"MPI_Send()", exchange},
                                            {"solve => MPI_Send()", exchange},
                                            {"solve", sum_of({solve, exchange})},
                                            {"main => solve", sum_of({solve, exchange})},
                                            {"main", all}});
  CHECK(passed_over(shallow).size() == 4);
  CHECK(seconds_at_most(shallow) == doctest::Approx(all(kMost)));
}

TEST_CASE("what is called from elsewhere, too, is not taken for the same as its paths") {
  const MeasurementTable table = rows_of({{"main", sum_of({solve, output})},
                                          {"main => exchange", times(0.1, exchange)},
                                          {"exchange", exchange}});
  CHECK(passed_over(table) == Names{"main => exchange"});
}

TEST_CASE("recursion is counted once, with and without a caller") {
  const MeasurementTable called = rows_of({{"sort", solve},
                                           {"main", sum_of({solve, output})},
                                           {"main => sort", solve},
                                           {"sort => sort", times(0.9, solve)}});
  CHECK(seconds_at_most(called) == doctest::Approx(solve(kMost) + output(kMost)));
  const MeasurementTable alone = rows_of({{"even", times(0.9, solve)},
                                          {"odd", solve},
                                          {"odd => even", times(0.9, solve)},
                                          {"even => odd", times(0.8, solve)}});
  CHECK(seconds_at_most(alone) == doctest::Approx(solve(kMost)));
}

TEST_CASE("callees that take longer than their caller are an error that names options") {
  MeasurementTable table =
      rows_of({{"main", output}, {"main/solve", solve}, {"main/solve/MPI_Send", exchange}}, 0.01);
  CHECK_THROWS_WITH_AS(
      outermost_regions(table),
      doctest::Contains("in 20 of 20 configurations regions have less time than those which their "
                        "names say are inside of them: --exclusive time says"),
      UsageError);
  for (MeasuredColumn& column : table.columns) column.exclusive = column.role == ColumnRole::time;
  CHECK(passed_over(table).empty());
  const OutermostRegions found = outermost_regions(table);
  CHECK(found.energy_inside == found.time_inside);
  CHECK(found.remarks.empty());
}

TEST_CASE("exclusive times add up although names are paths, if the column's name says so") {
  MeasurementTable table = rows_of({{"main", solve}, {"main/solve", times(0.5, solve)}});
  CHECK(passed_over(table) == Names{"main/solve"});
  for (const std::string name : {"Exclusive Time", "time (exc)", "Excl", "self time"}) {
    call_time(table, name);
    CHECK(passed_over(table).empty());
    CHECK(outermost_regions(table).energy_inside == std::vector<bool>{false, false});
    CHECK(outermost_regions(table).remarks.empty());
  }
}

TEST_CASE("of exclusive times TAU's rows of single functions count once, too") {
  MeasurementTable table = rows_of({{"main", output}, {"solve", solve}, {"main => solve", solve}});
  call_time(table, "Exclusive");
  CHECK(passed_over(table) == Names{"solve"});
  CHECK(seconds_at_most(table) == doctest::Approx(output(kMost) + solve(kMost)));
}

TEST_CASE("energies without what is inside are added up beside inclusive times") {
  MeasurementTable table =
      rows_of({{"main", sum_of({solve, output})}, {"main/solve", solve}}, 0, 2);
  set_energies(table, {{"main", times(100, output)}, {"main/solve", times(100, solve)}});
  CHECK_THROWS_WITH_AS(outermost_regions(table), doctest::Contains("--exclusive energy says"),
                       UsageError);
  for (MeasuredColumn& column : table.columns) column.exclusive = column.role == ColumnRole::energy;
  const OutermostRegions found = outermost_regions(table);
  CHECK(found.time_inside == std::vector<bool>{false, true});
  CHECK(found.energy_inside == std::vector<bool>{false, false});
  const ProgramRuns runs = runs_of(table, "");
  CHECK(runs.time_s.back() == doctest::Approx(solve(kMost) + output(kMost)));
  CHECK(runs.energy_j.back() == doctest::Approx(100 * (solve(kMost) + output(kMost))));
  CHECK(runs.rows.back() == 2);
}

TEST_CASE("a remark names what names say and values deny in some configurations") {
  MeasurementTable table =
      rows_of({{"main", solve}, {"main/solve", [](const Configuration& at) {
                                   return at.threads < 8 ? 0.8 * solve(at) : 2 * solve(at);
                                 }}});
  CHECK(passed_over(table) == Names{"main/solve"});
  const Names remarks = outermost_regions(table).remarks;
  REQUIRE(!remarks.empty());
  CHECK(remarks[0] ==
        "in 5 of 20 configurations regions have less time than those which their names say are "
        "inside of them: the program's time may be too small");
}

TEST_CASE("nested rows change nothing in the forecast of a flat table") {
  const std::vector<Timed> flat = {{"solve", solve}, {"exchange", exchange}, {"output", output}};
  std::vector<Timed> nested = flat;
  nested.insert(nested.begin() + 1, {"solve => smooth", times(0.7, solve)});
  nested.push_back({"solve => smooth => MPI_Send()", times(0.2, solve)});
  nested.push_back({"output => write", times(0.99, output)});
  const ProgramForecast of_flat = ProgramForecast::learn(rows_of(flat, 0.01, 2), "", 1, 1);
  const ProgramForecast of_nested = ProgramForecast::learn(rows_of(nested, 0.01, 2), "", 1, 1);
  for (const Configuration& at : {Configuration{3e5, 4, 3, 1}, {32e5, 4, 8, 1}, {4e5, 4, 2, 1}}) {
    const ForecastAt one = of_flat.at(at);
    const ForecastAt other = of_nested.at(at);
    CHECK(one.time_s == other.time_s);
    CHECK(one.energy_j == other.energy_j);
    CHECK(one.measured_rows == other.measured_rows);
  }
  CHECK(of_flat.remarks().empty());
  CHECK(of_nested.remarks().size() == 2);
}

TEST_CASE("a configuration that lacks the region which contains the others is left out") {
  MeasurementTable table = rows_of({{"main/solve", solve}});
  const auto all = generated_program(sum_of({solve, output}), kSizes, {4}, {1, 2, 4}, 0);
  add_region(table, rows_of(all, watts, "main"));
  const ProgramRuns runs = runs_of(table, "");
  CHECK(runs.configurations.size() == 15);
  REQUIRE(runs.remarks.size() == 2);
  CHECK(runs.remarks[1].starts_with("5 of 20 configurations are left out"));
  CHECK(runs.remarks[1].find("has no \"main\"") != std::string::npos);
}

}  // namespace
}  // namespace huddle
