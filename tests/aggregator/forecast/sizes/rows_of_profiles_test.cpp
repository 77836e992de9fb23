#include "aggregator/forecast/sizes/rows_of_profiles.hpp"

#include <doctest/doctest.h>

#include <map>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::forecast {
namespace {

// Two groups and 2 s of MPI and the like.
Profile run_with_groups(double seconds) {
  Profile profile = run_of(2, 2, 2 + 3 * seconds);
  profile.shared.phase_groups = {{1, "init", "barrier at a < main"},
                                 {2, "barrier at a < main", "barrier at a < main"}};
  for (RankRecord& record : profile.rank_records) {
    PhaseRecord first;
    first.group = 1;
    first.count = 1;
    first.mean = {seconds};
    first.counted = 1;
    first.counts = {10};
    PhaseRecord second = first;
    second.group = 2;
    second.count = 20;
    second.mean = {seconds / 10};
    second.counted = 2;
    second.counts = {4};
    record.phases = {first, second};
    record.mpi_time = {1};
    record.calls = {{"barrier", 21, 21, {1}}};
    record.events = {"instructions"};
    record.event_totals = {60};
    record.cpu_time = record.run_time;
  }
  return profile;
}

const std::vector<double>& values(const CollectedRows& rows, ColumnRole role) {
  const MeasuredColumn* const column = rows.table.find(role);
  REQUIRE(column != nullptr);
  return column->values;
}

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

TEST_CASE("the times of a run's rows add up to its run time") {
  const std::vector<SizedRun> runs = {{run_with_groups(5), 100, "a"},
                                      {run_with_groups(7), 200, "b"}};
  const CollectedRows rows = rows_of_profiles(runs, nullptr);
  CHECK(rows.table.regions == std::vector<std::string>{"init to barrier at a",
                                                       "barrier at a to barrier at a",
                                                       "MPI, waiting and the rest"});
  CHECK(rows.table.region == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2});
  CHECK(values(rows, ColumnRole::size) == std::vector<double>{100, 100, 100, 200, 200, 200});
  CHECK(values(rows, ColumnRole::processes) == std::vector<double>(6, 2));
  CHECK(values(rows, ColumnRole::threads) == std::vector<double>(6, 1));
  CHECK(sum_of(values(rows, ColumnRole::time)) == doctest::Approx(17 + 23));
  CHECK(values(rows, ColumnRole::time)[1] == doctest::Approx(10));
  CHECK(rows.table.find("calls")->values == std::vector<double>{2, 40, 42, 2, 40, 42});
  CHECK(rows.table.find("instructions")->values == std::vector<double>{20, 80, 20, 20, 80, 20});
  CHECK(rows.table.find(ColumnRole::energy) == nullptr);
  CHECK(rows.table.find(ColumnRole::frequency) == nullptr);
}

TEST_CASE("threads are those of the largest team, however few cores they kept busy") {
  std::vector<SizedRun> runs = {{run_with_groups(5), 100, "a"}, {run_with_groups(7), 200, "b"}};
  for (SizedRun& run : runs) {
    OpenMpRegionRecord serial;
    OpenMpRegionRecord parallel;
    parallel.smallest_team = 1;
    parallel.largest_team = 2;
    run.profile.rank_records[1].openmp_regions = {serial, parallel};
  }
  CHECK(values(rows_of_profiles(runs, nullptr), ColumnRole::threads) == std::vector<double>(6, 2));
}

TEST_CASE("energy that was metered in every run is shared by time, with a remark") {
  std::vector<SizedRun> runs = {{run_with_groups(5), 100, "a"}, {run_with_groups(7), 200, "b"}};
  runs[0].profile.rank_records[0].node_energy = {{"node", {170}}};
  const CollectedRows some = rows_of_profiles(runs, nullptr);
  CHECK(some.table.find(ColumnRole::energy) == nullptr);
  CHECK(some.notes.at(0) == "There is no energy: only 1 of 2 runs were metered.");
  runs[1].profile.rank_records[0].node_energy = {{"node", {230}}};
  const CollectedRows all = rows_of_profiles(runs, nullptr);
  CHECK(values(all, ColumnRole::energy)[0] == doctest::Approx(50));
  CHECK(sum_of(values(all, ColumnRole::energy)) == doctest::Approx(400));
  CHECK(all.notes.at(0).starts_with("Energy was metered on the nodes"));
}

TEST_CASE("energy that no meter measured is estimated only if the machine has power figures") {
  const std::vector<SizedRun> runs = {{run_with_groups(5), 100, "a"}};
  Machine machine = slow_machine();
  CHECK(rows_of_profiles(runs, &machine).table.find(ColumnRole::energy) == nullptr);
  machine.power = PowerFigures{{100}, {0}, {0}, {0}, {10}, Origin::kGiven};
  const CollectedRows rows = rows_of_profiles(runs, &machine);
  CHECK(sum_of(values(rows, ColumnRole::energy)) > 0);
  CHECK(rows.notes.at(0) ==
        "Energy was not measured: it is computed from the power figures of slow, run by run, and a "
        "row has its share by time.");
}

TEST_CASE("a group whose events were not counted in some run belongs to the rest in all") {
  std::vector<SizedRun> runs = {{run_with_groups(5), 100, "a"}, {run_with_groups(7), 200, "b"}};
  PhaseRecord& uncounted = runs[1].profile.rank_records[1].phases[0];
  uncounted.counted = 0;
  uncounted.counts.clear();
  const CollectedRows rows = rows_of_profiles(runs, nullptr);
  CHECK(rows.table.rows() == 4);
  CHECK(sum_of(values(rows, ColumnRole::time)) == doctest::Approx(17 + 23));
  CHECK(rows.notes.at(0).starts_with("1 of 2 phase groups belong to the rest"));
}

TEST_CASE("a profile without phases is one row, the program") {
  const CollectedRows rows = rows_of_profiles({{run_of(4, 2, 12), 9, "a"}}, nullptr);
  CHECK(rows.table.regions == std::vector<std::string>{"the program"});
  CHECK(values(rows, ColumnRole::time) == std::vector<double>{12});
  CHECK(rows.table.find("calls") == nullptr);
}

TEST_CASE("runs at several frequencies have a column of them") {
  std::vector<SizedRun> runs = {{run_of(1, 1, 10), 9, "a"}, {run_of(1, 1, 20), 9, "b"}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RankRecord& record = runs[i].profile.rank_records[0];
    record.cpu_time = record.run_time;
    record.events = {"cycles"};
    record.event_totals = {i == 0 ? 24.13e9 : 23.9e9};
  }
  CHECK(values(rows_of_profiles(runs, nullptr), ColumnRole::frequency) ==
        std::vector<double>{2.4, 1.2});
}

TEST_CASE("regions are named by what they lie between, as long as that distinguishes them") {
  const auto names = region_names({{1, "a < f", "b"},
                                   {2, "a < g", "b"},
                                   {3, "c < f < main", "b"},
                                   {4, "d", "d"},
                                   {5, "d", "d"}});
  CHECK(names.at(1) == "a < f to b");
  CHECK(names.at(2) == "a < g to b");
  CHECK(names.at(3) == "c to b");
  CHECK(names.at(4) == "d to d (4)");
  CHECK(names.at(5) == "d to d (5)");
}

}  // namespace
}  // namespace huddle::forecast
