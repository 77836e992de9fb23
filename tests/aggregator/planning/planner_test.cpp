#include "aggregator/planning/planner.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "profiles/formats/plan/plan.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;
using Site = PlanningSite;

Profile cut_short() {
  Profile profile = run_of(8, 1);
  profile.complete = false;
  profile.cut_short_reason = "rank 3 called MPI_Abort";
  return profile;
}

TEST_CASE("a job without a profile is measured, even where there is no machine document") {
  Site site;
  site.request.machine.clear();
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kMeasure);
  CHECK(answer.decision.reason ==
        "this run is measured: there is no profile of \"app\" with 8 ranks yet");
  CHECK_FALSE(answer.plan.has_value());
}

TEST_CASE("a label with control characters still makes one line") {
  Site site;
  site.request.label = "a\nb\x1b[31m";
  CHECK(site.decision().reason ==
        "this run is measured: there is no profile of \"a?b?[31m\" with 8 ranks yet");
}

TEST_CASE("a run that was cut short is no ground for a plan, and the user learns it") {
  Site site;
  site.put("1.json", cut_short());
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().reason ==
        "this run is measured again: the last run was cut short: rank 3 called MPI_Abort (its "
        "ranks must end by MPI_Finalize)");
  CHECK(site.plans() == 0);
}

TEST_CASE("a corrupt profile is no ground for a plan, and the user learns which one") {
  Site site;
  site.put_text("1.json", "{\"format\": \"hud");
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().reason.starts_with("this run is measured again: " + site.folder() +
                                           "/profile-1.json: byte 16: found "));
  CHECK(site.plans() == 0);
}

TEST_CASE("a profile of another number of ranks or without times is measured again") {
  Site site;
  site.put("1.json", run_of(4, 1));
  CHECK(site.decision().reason == fmt::format("this run is measured again: {}/profile-1.json is of "
                                              "4 ranks, not of 8",
                                              site.folder()));
  site.put("2.json", run_of(8, 1, 0));
  CHECK(site.decision().reason == fmt::format("this run is measured again: {}/profile-2.json has "
                                              "no run time in it",
                                              site.folder()));
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("a good profile makes a plan, which is stored with what it was made from") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.nodes == 1);
  CHECK(answer.decision.ranks_per_node == 8);
  CHECK(answer.decision.reason ==
        "trial: packed onto 1 of 8 nodes (2:2:2), predicted +0.0 % time (contention unknown)");
  CHECK(answer.decision.pattern == "2:2:2");
  REQUIRE(answer.decision.slowdown.has_value());
  CHECK(*answer.decision.slowdown == doctest::Approx(0));
  CHECK_FALSE(answer.decision.energy_saving.has_value());
  CHECK_FALSE(answer.decision.frequency.has_value());
  const Plan stored = load_plan(answer.decision.plan_file);
  REQUIRE(answer.plan.has_value());
  CHECK(to_json(stored) == to_json(*answer.plan));
  CHECK(stored.made_from == std::vector<std::string>{site.folder() + "/profile-1.json"});
  CHECK(fs::path(answer.decision.plan_file).parent_path() == site.folder());
}

TEST_CASE("the same request takes the stored plan instead of making it again") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const std::string file = site.decision().plan_file;
  Plan plan = load_plan(file);
  plan.reason = "trial: what is in the file";
  save_plan(plan, file);
  CHECK(site.decision().plan_file == file);
  CHECK(site.decision().reason == "trial: packed onto what is in the file");
  CHECK(site.plans() == 1);
}

TEST_CASE("a new profile, another limit or another machine makes another plan") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const std::string first = site.decision().plan_file;
  site.put("2.json", run_of(8, 1, 50));
  const JobAnswer second = site.answer();
  CHECK(second.decision.plan_file != first);
  CHECK(second.plan->made_from.size() == 2);
  CHECK(second.plan->made_from[0].ends_with("/profile-2.json"));
  CHECK(fs::exists(first));
  site.request.slowdown = 0.1;
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.slowdown = 0.05;
  site.request.nodes = 4;
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.nodes.reset();
  site.request.grouping = Grouping::kRankOrder;
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.grouping = Grouping::kMapped;
  CHECK(site.decision().plan_file == second.decision.plan_file);
  site.request.least_nodes = 2;
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.least_nodes = 1;
  site.request.objective = Objective::kTime;
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.objective = Objective::kEnergy;
  site.request.frequencies = FrequencyRange{};
  CHECK(site.decision().plan_file != second.decision.plan_file);
  site.request.frequencies.reset();
  CHECK(site.decision().plan_file == second.decision.plan_file);
  Machine machine = slow_machine();
  machine.node_memory = {1};
  save_machine(machine, site.request.machine);
  CHECK(site.decision().plan_file != second.decision.plan_file);
}

TEST_CASE("an older good profile is used if the newest one can't be") {
  Site site;
  site.put("1.json", run_of(8, 1));
  site.put("2.json", cut_short());
  site.put_text("3.json", "");
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.plan->made_from == std::vector<std::string>{site.folder() + "/profile-1.json"});
}

TEST_CASE("the 64 newest files are looked at, however many there are") {
  const Site site;
  site.put("00.json", run_of(8, 1));
  for (int i = 1; i < 64; ++i) site.put_text(fmt::format("{:02}.json", i), "broken");
  CHECK(site.decision().action != Action::kMeasure);
  site.put_text("64.json", "broken");
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("the newest four runs of the newest program are the samples") {
  Site site;
  for (const char* name : {"1.json", "2.json", "3.json", "4.json", "6.json"})
    site.put(name, run_of(8, 1));
  Profile other = run_of(8, 1);
  other.executable = "/opt/other";
  site.put("5.json", other);
  const JobAnswer answer = site.answer();
  REQUIRE(answer.plan.has_value());
  std::vector<std::string> names;
  for (const std::string& file : answer.plan->made_from) names.push_back(fs::path(file).filename());
  CHECK(names == std::vector<std::string>{"profile-6.json", "profile-4.json", "profile-3.json",
                                          "profile-2.json"});
}

TEST_CASE("runs that were slower when packed keep the next one spread") {
  Site site;
  site.request.nodes = 8;
  site.put("1.json", run_of(8, 1, 100));
  site.put("2.json", run_of(8, 8, 200));
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.nodes == 4);
}

TEST_CASE("no plan uses more nodes than were asked for, and none is applied that saves none") {
  for (const std::uint32_t ranks : {8U, 13U})
    for (std::uint32_t nodes = (ranks + 7) / 8; nodes <= ranks; ++nodes) {
      CAPTURE(ranks);
      CAPTURE(nodes);
      Site site;
      site.request.ranks = ranks;
      site.request.nodes = nodes;
      Profile profile = run_of(ranks, 1);
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        add_messages(profile, rank, (rank + 1) % ranks, 1, 10);
      site.put("1.json", profile);
      const JobAnswer answer = site.answer();
      if (answer.plan) CHECK(answer.plan->chosen.nodes <= nodes);
      if (answer.decision.action == Action::kApply) CHECK(answer.decision.nodes < nodes);
    }
}

TEST_CASE("a job that already uses the fewest nodes is left alone, and its user learns why") {
  Site site;
  site.request.nodes = 1;
  site.put("1.json", run_of(8, 1));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason == "no fewer nodes: its ranks need 1");
}

TEST_CASE("a job whose every pattern would be too slow is left alone, and its user learns why") {
  // Ten ranks on nine nodes: ranks 0 and 1, which are silent, share one. On a machine whose network
  // is faster than its memory, every pattern of nine nodes or fewer makes two of the others slower.
  Site site;
  site.request.ranks = 10;
  site.request.nodes = 9;
  Machine machine = slow_machine();
  machine.links[3] = {{1e-6}, {1e9}, Origin::kGiven};
  save_machine(machine, site.request.machine);
  Profile profile = run_of(10, 1, 1);
  for (std::uint32_t a = 2; a < 10; ++a)
    for (std::uint32_t b = 2; b < 10; ++b)
      if (a != b) add_messages(profile, a, b, 1, 1000);
  site.put("1.json", profile);
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kLeave);
  CHECK(answer.decision.reason.starts_with("no fewer nodes: "));
  CHECK(answer.decision.reason.ends_with(", your bound is 5 %"));
}

TEST_CASE("a stored plan for another number of ranks is made anew") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const std::string file = site.decision().plan_file;
  Plan plan = load_plan(file);
  plan.ranks = 3;
  plan.placement.resize(3);
  save_plan(plan, file);
  CHECK(site.answer().plan->ranks == 8);
  CHECK(load_plan(file).ranks == 8);
}

TEST_CASE("a site without a machine document, or with a broken one, gets an error that names it") {
  Site site;
  site.put("1.json", run_of(8, 1));
  site.request.machine.clear();
  CHECK(error_of([&] { static_cast<void>(site.answer()); }) ==
        "there is a profile, but no machine document");
  site.request.machine = site.directory.path() / "none.json";
  CHECK(error_of<SystemError>([&] {
          static_cast<void>(site.answer());
        }).ends_with("/none.json: No such file or directory"));
  store::put_file(site.request.machine, "{}");
  CHECK_THROWS_AS(static_cast<void>(site.answer()), FormatError);
  Machine machine = slow_machine();
  machine.topology = "nonsense";
  save_machine(machine, site.request.machine);
  CHECK_THROWS_AS(static_cast<void>(site.answer()), FormatError);
  CHECK(site.plans() == 0);
}

}  // namespace
}  // namespace huddle::planning
