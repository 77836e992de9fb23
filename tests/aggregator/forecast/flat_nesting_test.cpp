#include "aggregator/forecast/flat_nesting.hpp"

#include <doctest/doctest.h>

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
  CHECK(passed_over(rows_of({{"solve", solve}, {"exchange", times(0.4, solve)}})).empty());
}

TEST_CASE("a region with the name of the whole program contains all others if it is the longest") {
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
                "\", and are not added to it: its name is that of the whole program, and its time "
                "the largest"});
  }
  const MeasurementTable apart = rows_of({{"main", output}, {"solve", solve}});
  CHECK(passed_over(apart).empty());
}

TEST_CASE("a whole program that is the longest in some configurations only is told, and added up") {
  const Law longer_on_few = [](const Configuration& at) {
    return at.threads < 5 ? 2 * solve(at) : 0.5 * solve(at);
  };
  const MeasurementTable table = rows_of({{"main", longer_on_few}, {"solve", solve}});
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks ==
        Names{"\"main\" takes as long as any other region in 15 of 20 configurations only: whether "
              "it contains others can't be told, and so all are added up; --region asks for some "
              "alone"});
}

TEST_CASE("a region as long as all exclusive times together contains the others") {
  const Law all = sum_of({solve, exchange, output});
  const std::vector<Timed> regions = {
      {"app", all}, {"loop", sum_of({solve, exchange})}, {"MPI_Send", exchange}};
  const std::map<std::string, Law> exclusive = {
      {"app", output}, {"loop", solve}, {"MPI_Send", exchange}};
  for (const double unit : {1.0, 1e6}) {
    MeasurementTable table = rows_of(regions);
    add_exclusive(table, exclusive, unit);
    const OutermostRegions found = outermost_regions(table);
    REQUIRE(found.containing.size() == 1);
    CHECK(found.containing[0].region == "app");
    CHECK(found.containing[0].known_by == ContainedBy::exclusive_times);
    CHECK(seconds_at_most(table) == doctest::Approx(all(kMost)));
  }
}

TEST_CASE("a main that calls no other region, as its exclusive time says, contains none") {
  MeasurementTable table = rows_of({{"main", solve}, {"MPI_Init", output}});
  add_exclusive(table, {{"main", solve}, {"MPI_Init", output}});
  CHECK(passed_over(table).empty());
}

TEST_CASE("parallel regions and MPI regions beside each other, with waiting, stay added up") {
  // Inclusive: until the team's last thread is done. Exclusive: a thread's own work.
  const auto busy = [](double share) {
    return [share](const Configuration& at) { return share * solve(at) / (1 + 0.03 * at.threads); };
  };
  for (const double second : {0.05, 0.3, 0.9}) {
    MeasurementTable table = rows_of({{"omp parallel 1", solve},
                                      {"omp parallel 2", times(second, solve)},
                                      {"MPI_Allreduce", exchange}},
                                     0.01);
    add_exclusive(table, {{"omp parallel 1", busy(1)},
                          {"omp parallel 2", busy(second)},
                          {"MPI_Allreduce", busy(0.1)}});
    call_time(table, "Inclusive Time");
    CHECK(passed_over(table).empty());
  }
}

TEST_CASE("the longest region of an inclusive column is told, and not taken for the whole") {
  MeasurementTable table =
      rows_of({{"omp parallel 1", solve}, {"MPI_Allreduce", times(0.3, solve)}});
  CHECK(outermost_regions(table).remarks.empty());
  call_time(table, "Inclusive Time");
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks ==
        Names{"times are inclusive, and \"omp parallel 1\" is the longest region: whether it "
              "contains others can't be told, and so all are added up; --region asks for some "
              "alone"});
}

TEST_CASE("levels that exclusive times show, but without a region that contains all, are told") {
  MeasurementTable table = rows_of({{"solve", sum_of({solve, exchange})},
                                    {"step", sum_of({times(0.9, solve), exchange})},
                                    {"MPI_Send", exchange},
                                    {"output", solve}});
  add_exclusive(table, {{"solve", times(0.1, solve)},
                        {"step", times(0.9, solve)},
                        {"MPI_Send", exchange},
                        {"output", solve}});
  CHECK(passed_over(table).empty());
  const Names remarks = outermost_regions(table).remarks;
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].find("times the exclusive ones, and \"solve\" is the longest region: whether") !=
        std::string::npos);
}

TEST_CASE("a region that follows the sum of the others through changing shares contains them") {
  const MeasurementTable table = rows_of({{"solve", solve},
                                          {"app", sum_of({solve, exchange, output}, 0.03)},
                                          {"exchange", exchange},
                                          {"output", output}});
  const OutermostRegions found = outermost_regions(table);
  REQUIRE(found.containing.size() == 1);
  CHECK(found.containing[0].region == "app");
  CHECK(found.containing[0].known_by == ContainedBy::sums);
  CHECK(seconds_at_most(table) ==
        doctest::Approx(1.03 * (solve(kMost) + exchange(kMost) + output(kMost))));
}

TEST_CASE("siblings that sum up to another one by chance in one configuration stay apart") {
  const double chance = exchange(kMost) + output(kMost);
  const Law once = [chance](const Configuration& at) {
    return at.size == kMost.size && at.threads == 8 ? chance : 3 * (exchange(at) + output(at));
  };
  const MeasurementTable table =
      rows_of({{"smooth", once}, {"exchange", exchange}, {"output", output}});
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks.empty());
}

TEST_CASE("as much as all others, but always in the same shares, is told and added up") {
  const MeasurementTable table = rows_of({{"forward", solve}, {"backward", times(0.97, solve)}});
  CHECK(passed_over(table).empty());
  CHECK(outermost_regions(table).remarks ==
        Names{"\"forward\" has as much time as all other regions together everywhere: whether it "
              "contains others can't be told, and so all are added up; --region asks for some "
              "alone"});
}

}  // namespace
}  // namespace huddle
