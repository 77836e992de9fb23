#include "aggregator/planning/detail/plans/kept_nodes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

/// A site whose job of 8 ranks keeps its 4 nodes; ranks r and r + 4 talk.
struct SiteOfKeptNodes : PlanningSite {
  SiteOfKeptNodes() {
    request.nodes = 4;
    request.least_nodes = 4;
    request.keeps_nodes = true;
  }
  void measure() const { put("20261122T000001.000Z-7.1-pid9.json", partners()); }
  void record(const std::string& placed_by, const std::string& program,
              std::uint32_t nodes = 4) const {
    Outcome outcome;
    outcome.user = request.user;
    outcome.label = request.label;
    outcome.ranks = request.ranks;
    outcome.treatment = Treatment::kMeasured;
    outcome.run = OutcomeRun{"site", 7, 1, {}, nodes, *parse_utc("2026-11-22")};
    outcome.run->placed_by = placed_by;
    outcome.run->program = program;
    outcome.end = OutcomeEnd{Seconds{9}, 0};
    store::put_file(
        (store.make_folder(key_of(request)) / "outcome-20261122T000000.000Z-7.1-pid1.json")
            .string(),
        to_json(outcome));
  }
  static Profile partners() {
    Profile profile = run_of(8, 2);
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      add_messages(profile, rank, (rank + 4) % 8, 1, 100);
    return profile;
  }
};

constexpr const char* kGrouped =
    "kept on 4 nodes, ranks that talk share nodes: predicted 100 % fewer bytes between nodes";

TEST_CASE("a job that keeps its nodes is measured first") {
  const SiteOfKeptNodes site;
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("then it gets a plan of which ranks share a node, and the same one again") {
  const SiteOfKeptNodes site;
  site.measure();
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.keeps_nodes);
  CHECK(answer.decision.nodes == 4);
  CHECK(answer.decision.ranks_per_node == 2);
  CHECK(answer.decision.reason == kGrouped);
  CHECK_FALSE(answer.decision.slowdown.has_value());
  CHECK_FALSE(answer.decision.frequency.has_value());
  const Plan stored = load_plan(answer.decision.plan_file);
  CHECK(stored.keeps_nodes);
  CHECK(stored.made_from.size() == 1);
  CHECK(site.decision().plan_file == answer.decision.plan_file);
  CHECK(site.decision().reason == kGrouped);
  CHECK(site.decision().keeps_nodes);
}

TEST_CASE("it is no plan for a job that may have fewer nodes") {
  SiteOfKeptNodes site;
  site.measure();
  const std::string kept = site.decision().plan_file;
  site.request.keeps_nodes = false;
  site.request.least_nodes = 1;
  CHECK(site.decision().plan_file != kept);
  CHECK_FALSE(site.decision().keeps_nodes);
}

TEST_CASE("where no grouping saves bytes there is no gain, and that is remembered") {
  const SiteOfKeptNodes site;
  site.put("1.json", run_of(8, 2));
  for (int times = 0; times < 2; ++times) {
    CHECK(site.decision().action == Action::kLeave);
    CHECK(site.decision().reason ==
          "no gain: no grouping of its ranks saves 5 % of the bytes between nodes");
  }
}

TEST_CASE("how many ranks a node gets is no obstacle, and where each of them goes is one") {
  for (const char* harmless : {"", "--nodes", "--ntasks-per-node"}) {
    CAPTURE(harmless);
    const SiteOfKeptNodes site;
    site.measure();
    site.record(harmless, "app");
    CHECK(site.decision().keeps_nodes);
  }
  const SiteOfKeptNodes placed;
  placed.measure();
  placed.record("--distribution", "app");
  CHECK(placed.decision().action == Action::kLeave);
  CHECK(placed.decision().reason ==
        "in the measured run its step of app was placed by --distribution");
  const SiteOfKeptNodes by_mpirun;
  by_mpirun.measure();
  by_mpirun.record("", "mpirun");
  CHECK(by_mpirun.decision().reason == "mpirun starts its ranks, and places them itself");
}

TEST_CASE("a run on other nodes says nothing about these") {
  SiteOfKeptNodes site;
  site.request.nodes = 8;
  site.measure();
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason ==
        "the measured run's ranks were on 4 nodes; profile measures it again");
}

TEST_CASE("a job that asks for no number of nodes keeps those of its measured run") {
  SiteOfKeptNodes site;
  site.request.nodes.reset();
  site.request.least_nodes = 1;
  site.measure();
  CHECK(site.decision().reason == kGrouped);
}

TEST_CASE("its cores may run slower as well") {
  SiteOfKeptNodes site;
  Machine machine = slow_machine();
  machine.frequencies = Frequencies{};
  machine.frequencies->nominal = {2e9};
  machine.frequencies->settable = {{1e9}, {2e9}};
  save_machine(machine, site.request.machine);
  site.request.frequencies = FrequencyRange{{1e9}, {1e9}};
  site.request.objective = Objective::kTime;
  site.request.slowdown = 1;
  site.measure();
  const Decision decision = site.decision();
  CHECK(decision.keeps_nodes);
  CHECK(decision.frequency == KilohertzRange{1'000'000, 1'000'000});
  CHECK(decision.reason.starts_with(kGrouped));
  CHECK(decision.reason.find("; at 1 GHz, predicted ") != std::string::npos);
}

TEST_CASE("people who ask for every pattern see them, too") {
  SiteOfKeptNodes site;
  site.request.every_pattern = true;
  site.measure();
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.reason == kGrouped);
  REQUIRE(answer.plan.has_value());
  CHECK(answer.plan->predicts_time());
  CHECK(answer.plan->runners_up.size() > 1);
}

/// A site whose job of 8 ranks has one node; ranks r and r + 4 talk.
struct SiteOfOneNode : SiteOfKeptNodes {
  SiteOfOneNode() {
    request.nodes = 1;
    request.least_nodes = 1;
  }
  void measure() const {
    Profile profile = run_of(8, 8);
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      add_messages(profile, rank, (rank + 4) % 8, 1, 100);
    put("20261122T000001.000Z-7.1-pid9.json", profile);
  }
};

TEST_CASE("a job of one node is measured, and then its ranks share dies with those they talk to") {
  const SiteOfOneNode site;
  CHECK(site.decision().action == Action::kMeasure);
  site.measure();
  for (int times = 0; times < 2; ++times) {
    const Decision decision = site.decision();
    CHECK(decision.keeps_nodes);
    CHECK(decision.reason ==
          "kept on 1 node, ranks that talk share dies: predicted 100 % fewer bytes between dies");
    const Plan plan = load_plan(decision.plan_file);
    CHECK(plan.arranges_node());
    CHECK(plan.placement[0].pus.size() == 1);
  }
}

TEST_CASE("so do those of a job that asks for no number of nodes, if Slurm gave it one") {
  SiteOfOneNode site;
  site.request.nodes.reset();
  site.request.keeps_nodes = false;
  site.measure();
  const Decision decision = site.decision();
  CHECK(decision.keeps_nodes);
  CHECK(decision.reason.starts_with("kept on 1 node, ranks that talk share dies"));
}

TEST_CASE("ranks that keep their node for its devices have the cores beside them") {
  SiteOfOneNode site;
  site.request.nodes.reset();
  site.measure();
  CHECK(site.decision().reason ==
        "no gain: no grouping of its ranks saves 5 % of the bytes between nodes");
}

TEST_CASE("ranks of a job of one node that mpirun starts are where that puts them") {
  const SiteOfOneNode site;
  site.measure();
  site.record("", "mpirun", 1);
  CHECK(site.decision().reason == "mpirun starts its ranks, and places them itself");
}

TEST_CASE("a job of one node whose dies had unlike numbers of ranks stays as it is") {
  const SiteOfOneNode site;
  Profile profile = run_of(8, 8);
  profile.rank_records[7].pus = profile.rank_records[0].pus;
  site.put("1.json", profile);
  CHECK(site.decision().reason ==
        "in the measured run its ranks did not have one die each, or dies did not have as many "
        "ranks");
}

TEST_CASE("a job of one node is not measured where all cores share a die") {
  SiteOfOneNode site;
  Machine machine = slow_machine();
  machine.topology = "package:1 core:8 pu:1";
  save_machine(machine, site.request.machine);
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason == "no gain: all cores of its node share one die");
  site.request.packs_threads = true;
  CHECK(site.decision().action == Action::kMeasure);
}

}  // namespace
}  // namespace huddle::planning
