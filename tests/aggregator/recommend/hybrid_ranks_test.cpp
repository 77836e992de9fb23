// Recommendations and decisions for ranks that have several cores each.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "aggregator/planning/detail/samples/sampling.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recommend {
namespace {

using Action = Decision::Action;

// Nodes of 2 packages x 2 dies x 4 cores; a busy core draws 2 W, a die 3 W, a package 5 W.
Machine wide_machine() {
  Machine machine = slow_machine();
  machine.topology = "package:2 die:2 core:4 pu:1";
  machine.power = PowerFigures{{10}, {0}, {5}, {3}, {2}, Origin::kGiven};
  return machine;
}

// One rank a node, on the first `cores` cores.
Profile spread_ranks(std::uint32_t ranks, std::uint32_t cores) {
  Profile profile = run_of(ranks, 1);
  for (RankRecord& record : profile.rank_records) {
    record.pus = PuSet::parse("0-" + std::to_string(cores - 1));
    record.cpu_time = Seconds{100.0 * cores};
  }
  return profile;
}

struct Hybrid {
  explicit Hybrid(std::uint32_t cores, const Machine& machine = wide_machine())
      : whole(commgraph::load_topology(machine.topology)),
        rank(predict::shape_of_rank(cores, whole)),
        slots(predict::slots_of_node(whole, rank)) {
    RecommendationOptions options;
    options.computation = ComputationMethod::kSimple;  // by hand
    options.rank = rank;
    const Profile profile = spread_ranks(8, cores);
    recommendation =
        recommend({profile}, machine, slots, predict::measured_reference(profile, slots), options);
    plan = plan_of(recommendation, profile, slots, Grouping::kMapped);
  }
  commgraph::NodeTopology whole;
  predict::RankShape rank;
  commgraph::NodeTopology slots;
  Recommendation recommendation;
  Plan plan;
};

// Each rank has cores of its own, as many as it should, on a node that the plan has.
void check_placement(const Plan& plan, std::uint32_t cores) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;
  for (const RankPlace& place : plan.placement) {
    CHECK(place.pus.size() == cores);
    CHECK(place.node.value < plan.chosen.nodes);
    for (const std::uint32_t pu : place.pus.members())
      CHECK(used.insert({place.node.value, pu}).second);
  }
}

TEST_CASE("ranks of two cores are packed two to a die of four") {
  const Hybrid hybrid(2);
  CHECK(hybrid.plan.reason.starts_with(
      "1 of 8 nodes (2:2:4), predicted +0.0 % time (contention unknown)"));
  CHECK(hybrid.plan.chosen.ranks_per_node == 8);
  CHECK(hybrid.plan.reference.pattern == "1:1:2");
  CHECK(hybrid.plan.reference.ranks_per_node == 1);
  CHECK(hybrid.plan.cores_per_rank == 2);
  CHECK(hybrid.plan.node_pus == 16);
  check_placement(hybrid.plan, 2);
}

TEST_CASE("what is left over of a die counts as a PU of the node, and stays idle") {
  const Hybrid hybrid(3);
  CHECK(hybrid.plan.chosen.pattern == "2:2:3");
  CHECK(hybrid.plan.chosen.nodes == 2);
  CHECK(hybrid.plan.node_pus == 16);
  check_placement(hybrid.plan, 3);
}

TEST_CASE("ranks larger than a die and than a package take whole ones") {
  const Hybrid of_six(6);
  CHECK(of_six.plan.chosen.pattern == "2:2:3");
  CHECK(of_six.plan.chosen.ranks_per_node == 2);
  CHECK(of_six.plan.chosen.nodes == 4);
  check_placement(of_six.plan, 6);
  const Hybrid of_twelve(12);
  CHECK(of_twelve.plan.chosen.pattern == "2:2:3");
  CHECK(of_twelve.plan.chosen.nodes == 8);
  CHECK(of_twelve.plan.reference.pattern == "2:2:3");
  check_placement(of_twelve.plan, 12);
}

TEST_CASE("energy counts every core, die and package that a rank is on") {
  // Eight ranks of 2 cores on one node: 10 + 2 x 5 + 4 x 3 + 16 x 2 W for 100 s.
  CHECK(Hybrid(2).plan.chosen.energy->value == doctest::Approx(100 * (10 + 10 + 12 + 32)));
  // One a node: 8 x (10 + 5 + 3 + 4) W.
  CHECK(Hybrid(2).plan.reference.energy->value == doctest::Approx(100 * 8 * 22));
  // Ranks of 6 cores, each on both dies of a package: a node 10 + 5 + 2 x 3 + 12 W before.
  CHECK(Hybrid(6).plan.reference.energy->value == doctest::Approx(100 * 8 * 33));
  CHECK(Hybrid(12).plan.reference.energy->value == doctest::Approx(100 * 8 * (10 + 10 + 12 + 24)));
}

TEST_CASE("the second measured run puts whole ranks on nodes that are filled differently") {
  const Machine machine = wide_machine();
  const commgraph::NodeTopology whole = commgraph::load_topology(machine.topology);
  const predict::RankShape rank = predict::shape_of_rank(2, whole);
  const auto sample = planning::sampling_plan(
      spread_ranks(16, 2), machine, predict::slots_of_node(whole, rank), {.nodes = 16}, rank);
  REQUIRE(sample.has_value());
  const Plan& plan = sample->plan;
  CHECK(plan.cores_per_rank == 2);
  CHECK(plan.reference.pattern == "1:1:2");
  CHECK(plan.reason.find("2:2:4") != std::string::npos);
  check_placement(plan, 2);
}

TEST_CASE("profiles of other cores for each rank are no ground for a plan") {
  planning::PlanningSite site;
  save_machine(wide_machine(), site.request.machine);
  site.put("1.json", spread_ranks(8, 2));
  site.request.cores_per_rank = 2;
  const Decision of_two = site.decision();
  CHECK(of_two.action == Action::kApply);
  CHECK(load_plan(of_two.plan_file).cores_per_rank == 2);
  site.request.cores_per_rank = 4;
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().reason ==
        "this run is measured again: the last run had ranks on 2 cores, and this job's have 4 "
        "(--cpus-per-task of sbatch and of srun say how many each rank gets)");
  site.request.cores_per_rank = 1;
  CHECK(site.decision().reason ==
        "this run is measured again: the last run had ranks that kept 2.0 cores busy each, and "
        "this job's have 1 (--cpus-per-task of sbatch and of srun say how many each rank gets)");
  site.put("2.json", spread_ranks(8, 4));
  site.request.cores_per_rank = 4;
  CHECK(site.decision().action == Action::kApply);
}

TEST_CASE("a stored plan for other cores of each rank is made anew") {
  planning::PlanningSite site;
  site.put("1.json", run_of(8, 1));
  const std::string file = site.decision().plan_file;
  Plan plan = load_plan(file);
  plan.cores_per_rank = 2;
  save_plan(plan, file);
  CHECK(site.decision().plan_file == file);
  CHECK(load_plan(file).cores_per_rank == 1);
}

TEST_CASE("a rank of more cores than a node has is refused") {
  planning::PlanningSite site;
  site.put("1.json", run_of(8, 1));
  site.request.cores_per_rank = 9;
  CHECK(error_of<UsageError>([&] { static_cast<void>(site.answer()); }) ==
        "a rank of 9 cores does not fit on a node of 8 cores");
}

}  // namespace
}  // namespace huddle::recommend
