#include <doctest/doctest.h>

#include "aggregator/forecast/outermost_regions.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/nested_rows.hpp"

namespace huddle {
namespace {

TEST_CASE("regions of one level stay added up, whatever their shares") {
  for (const double share : {0.02, 0.4, 1.0, 1.04}) {
    const MeasurementTable table =
        rows_of({{"solve", solve}, {"exchange", times(share, solve)}, {"output", output}}, 0.01);
    CHECK(passed_over(table).empty());
    CHECK(outermost_regions(table).remarks.empty());
  }
}

TEST_CASE("a region that takes as long as all others contains them only if names say so") {
  const MeasurementTable table = rows_of({{"app", sum_of({solve, exchange, output}, 0.03)},
                                          {"solve", solve},
                                          {"exchange", exchange},
                                          {"output", output}});
  CHECK(passed_over(table).empty());
}

TEST_CASE("a region with the name of the whole program contains all others") {
  for (const std::string name :
       {"main", "int main(int, char **)", "MAIN__", ".TAU application", "total"}) {
    const MeasurementTable table = rows_of({{"exchange", exchange},
                                            {name, sum_of({solve, exchange, output}, 0.3)},
                                            {"solve", sum_of({solve, exchange})}},
                                           0.02);
    const OutermostRegions found = outermost_regions(table);
    REQUIRE(found.containing.size() == 1);
    CHECK(found.containing[0].region == name);
    CHECK(found.containing[0].known_by == ContainedBy::whole_program);
    CHECK(found.remarks ==
          Names{"\"solve\" and 1 other region lie inside of \"" + name +
                "\", and are not added to it: its name is that of the whole program"});
  }
}

TEST_CASE("a whole program that is shorter than a region of it is an error that names options") {
  MeasurementTable table = rows_of({{"main", output}, {"solve", solve}});
  CHECK_THROWS_WITH_AS(
      outermost_regions(table),
      "in 20 of 20 configurations regions have less time than those which their names say are "
      "inside of them: --exclusive time says that regions are measured without what is inside of "
      "them, so that all are added up; --region NAME uses some regions alone",
      UsageError);
  for (MeasuredColumn& column : table.columns) column.exclusive = column.role == ColumnRole::time;
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks.empty());
}

TEST_CASE("a whole program that is shorter in some configurations is remarked on") {
  const Law longer_on_few = [](const Configuration& at) {
    return at.threads < 5 ? 2 * solve(at) : 0.5 * solve(at);
  };
  const MeasurementTable table = rows_of({{"main", longer_on_few}, {"solve", solve}});
  CHECK(passed_over(table) == Names{"solve"});
  CHECK(outermost_regions(table).remarks[0] ==
        "in 5 of 20 configurations regions have less time than those which their names say are "
        "inside of them: the program's time may be too small");
}

TEST_CASE("inclusive times whose names say nothing are added up, which is remarked on") {
  MeasurementTable table =
      rows_of({{"omp parallel 1", solve}, {"MPI_Allreduce", times(0.3, solve)}});
  CHECK(outermost_regions(table).remarks.empty());
  call_time(table, "Inclusive Time");
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks ==
        Names{"\"Inclusive Time\" is inclusive, but no name says which regions lie inside of "
              "others: all are added up; --region asks for some alone"});
}

}  // namespace
}  // namespace huddle
