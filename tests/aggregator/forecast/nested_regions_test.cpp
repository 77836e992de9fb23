#include "aggregator/forecast/nested_regions.hpp"

#include <doctest/doctest.h>

namespace huddle::forecast {
namespace {

using Names = std::vector<std::string>;

// A row of each region.
MeasurementTable rows_of_regions(const Names& regions, const std::string& time = "Time") {
  MeasurementTable table;
  table.regions = regions;
  table.columns = {{ColumnRole::time, time, "s", {}}};
  for (std::uint32_t region = 0; region < regions.size(); ++region) {
    table.region.push_back(region);
    table.columns[0].values.push_back(1);
  }
  return table;
}

Names inside_of_others(const MeasurementTable& table) {
  const NestedRegions found = nested_regions(table);
  Names names;
  for (std::size_t region = 0; region < table.regions.size(); ++region)
    if (found.inside[region]) names.push_back(table.regions[region]);
  return names;
}

TEST_CASE("call paths lie inside of the region that they begin with") {
  for (const std::string separator : {" => ", "/", ";", "  =>  ", "->"}) {
    INFO(separator);
    const std::string below = "step" + separator + "solve";
    CHECK(inside_of_others(rows_of_regions(
              {below + separator + "MPI_Send()", "step", below, "output", "src/solve.c:12"})) ==
          Names{below + separator + "MPI_Send()", below});
  }
}

TEST_CASE("a path whose caller has no rows lies inside of that one's caller") {
  CHECK(inside_of_others(rows_of_regions({"step", "step/solve/sweep/MPI_Send"})) ==
        Names{"step/solve/sweep/MPI_Send"});
}

TEST_CASE("a region with the name of the whole program contains all others") {
  for (const std::string name :
       {"main", "int main(int, char **)", "MAIN__", ".TAU application", "total"}) {
    INFO(name);
    const MeasurementTable table = rows_of_regions({"exchange", name, "solve", name + " => solve"});
    CHECK(inside_of_others(table) == Names{"exchange", "solve", name + " => solve"});
    CHECK(nested_regions(table).remarks ==
          Names{"\"exchange\" and 2 other regions lie inside of \"" + name +
                "\", and are not added to it; --region uses some alone"});
  }
}

TEST_CASE("regions without rows contain none and lie inside of none") {
  MeasurementTable table = rows_of_regions({"solve", "solve/step"});
  table.regions.insert(table.regions.end(), {"main", "main/solve", "solve/step/write"});
  CHECK(inside_of_others(table) == Names{"solve/step"});
}

TEST_CASE("no exclusive time is part of another") {
  CHECK(inside_of_others(rows_of_regions({"main", "main/solve"}, "Exclusive Time")).empty());
}

TEST_CASE("inclusive times whose names say nothing are added up, which is remarked on") {
  const Names regions = {"omp parallel 1", "MPI_Allreduce"};
  CHECK(nested_regions(rows_of_regions(regions)).remarks.empty());
  const MeasurementTable table = rows_of_regions(regions, "Inclusive Time");
  CHECK(inside_of_others(table).empty());
  CHECK(nested_regions(table).remarks ==
        Names{"\"Inclusive Time\" is inclusive, but no name says which regions lie inside of "
              "others: all are added up; --region uses some alone"});
}

}  // namespace
}  // namespace huddle::forecast
