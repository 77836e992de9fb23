#include "aggregator/predict/computation/measured_densities.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

using By = MeasuredDensity::By;

Sharing on(std::uint32_t packages, std::uint32_t dies, std::uint32_t cores) {
  return sharing_of({packages, dies, cores});
}

MeasuredDensities densities_of(const std::vector<Profile>& runs) {
  std::vector<const Profile*> pointers;
  for (const Profile& run : runs) pointers.push_back(&run);
  return {pointers, small_node()};
}

std::vector<RankClass> classes(const Sharing& sharing) {
  return {{sharing, {0}}};
}

// Eight ranks on 2:2:2, four on 2:2:1 and four on 1:2:2.
Profile mixed_run() {
  Profile run = run_of(16, 8);
  const std::uint32_t spread[] = {0, 2, 4, 6};
  for (std::uint32_t rank = 8; rank < 16; ++rank) {
    RankRecord& record = run.rank_records[rank];
    record.node = rank < 12 ? "m1" : "m2";
    record.pus = {};
    record.pus.add(rank < 12 ? spread[rank - 8] : rank - 12);
  }
  return run;
}

TEST_CASE("one run covers what is at most as dense on every level, and nothing denser") {
  const MeasuredDensities densities = densities_of({run_of(8, 4)});  // on 1:2:2
  CHECK(densities.coverage_of(on(1, 2, 2), false) == Coverage::kMeasured);
  for (const Sharing& sparser : {on(1, 1, 1), on(1, 1, 2), on(1, 2, 1), on(2, 1, 1), on(2, 1, 2)})
    CHECK(densities.coverage_of(sparser, false) == Coverage::kInterpolated);
  CHECK(densities.coverage_of(on(2, 2, 2), false) == Coverage::kNone);
  CHECK(densities.coverage_of(Sharing{3, 3, 3}, false) == Coverage::kNone);
}

TEST_CASE("densities do not add up: one sample must be as dense on all levels at once") {
  const MeasuredDensities densities({{{1, 2, 4}, By::kRun}, {{2, 2, 2}, By::kRun}});
  CHECK(densities.coverage_of({2, 2, 4}, false) == Coverage::kNone);
  CHECK(densities.coverage_of({1, 2, 2}, false) == Coverage::kInterpolated);
  CHECK(MeasuredDensities({}).coverage_of({1, 1, 1}, false) == Coverage::kNone);
}

TEST_CASE("a model covers everything, but what was measured was measured") {
  const MeasuredDensities densities = densities_of({run_of(8, 1)});
  CHECK(densities.coverage_of(on(1, 1, 1), true) == Coverage::kMeasured);
  CHECK(densities.coverage_of(on(2, 2, 2), true) == Coverage::kModel);
  CHECK(densities.ground_of(classes(on(2, 2, 2)), true) == "a model");
}

TEST_CASE("each node of a run that is filled in different ways counts") {
  const MeasuredDensities densities = densities_of({run_of(16, 1), mixed_run()});
  CHECK(densities.coverage_of(on(2, 2, 2), false) == Coverage::kMeasured);
  CHECK(densities.coverage_of(on(1, 2, 2), false) == Coverage::kMeasured);
  CHECK(densities.coverage_of(on(2, 1, 2), false) == Coverage::kInterpolated);
  CHECK(densities.ground_of(classes(on(1, 1, 1)), false) == "a measured run");
  CHECK(densities.ground_of(classes(on(2, 2, 2)), false) == "mixed nodes of a measured run");
  CHECK(densities.ground_of(classes(on(2, 1, 2)), false) == "measured runs with denser ranks");
}

TEST_CASE("a placement is covered as weakly as its least covered ranks") {
  const MeasuredDensities densities = densities_of({run_of(8, 4)});
  CHECK(densities.coverage_of({{on(1, 2, 2), {0, 1, 2, 3}}, {on(1, 1, 1), {4}}}, false) ==
        Coverage::kInterpolated);
  CHECK(densities.coverage_of({{on(1, 2, 2), {0, 1, 2, 3}}, {on(2, 2, 2), {4}}}, false) ==
        Coverage::kNone);
  CHECK(densities.ground_of({{on(1, 2, 2), {0, 1, 2, 3}}, {on(2, 2, 2), {4}}}, false) == "nothing");
}

TEST_CASE("ranks that could run anywhere on a node count as spread widest") {
  Profile run = run_of(6, 3);
  for (RankRecord& record : run.rank_records)
    for (std::uint32_t pu = 0; pu < 8; ++pu) record.pus.add(pu);
  const MeasuredDensities densities = densities_of({run});
  CHECK(densities.coverage_of({1, 2, 3}, false) == Coverage::kMeasured);
  CHECK(densities.coverage_of(on(2, 1, 1), false) == Coverage::kInterpolated);
  CHECK(densities.coverage_of(on(1, 1, 2), false) == Coverage::kNone);
  CHECK(densities.coverage_of(on(2, 2, 1), false) == Coverage::kNone);
}

}  // namespace
}  // namespace huddle::predict
