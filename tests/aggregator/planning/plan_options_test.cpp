// The effects of the options of `huddle plan` on an answer.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "profiles/formats/plan/plan.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;
using Site = PlanningSite;

// Eight ranks that ran on eight nodes; they compute only.
struct SpreadSite : Site {
  SpreadSite() { put("1.json", run_of(8, 1)); }
};

// A busy core draws 1 + 8 (f / 2 GHz)^3 W, an idle node 10 W.
void put_frequencies(const Site& site, bool with_power = true) {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{10}, {0}, {0}, {0}, {9}, Origin::kGiven};
  machine.frequencies =
      Frequencies{{{1e9}, {1.6e9}, {2e9}}, {2e9}, {}, ClockDomain::kCore, Origin::kGiven};
  if (with_power) machine.frequencies->power = {{{0}, {1}, {}, {}}};
  save_machine(machine, site.request.machine);
}

TEST_CASE("with power figures the reason says what energy is saved, and so does the decision") {
  SpreadSite site;
  put_frequencies(site);
  const Decision decision = site.decision();
  // 8 x (10 + 9) W before, 10 + 8 x 9 W behind.
  CHECK(decision.reason ==
        "trial: packed onto 1 of 8 nodes (2:2:2), predicted +0.0 % time (contention unknown), -46 "
        "% energy");
  REQUIRE(decision.energy_saving.has_value());
  CHECK(*decision.energy_saving == doctest::Approx(1 - 82.0 / 152));
  CHECK_FALSE(decision.frequency.has_value());
}

TEST_CASE("the fewest nodes that a site asks for are kept") {
  SpreadSite site;
  site.request.least_nodes = 3;
  CHECK(site.decision().nodes == 4);
  site.request.least_nodes = 9;  // more than the job has: as many as it has
  CHECK(site.decision().action == Action::kLeave);
}

TEST_CASE("a frequency is planned within the bound, exactly") {
  SpreadSite site;
  put_frequencies(site);
  site.request.slowdown = 0.3;
  site.request.frequencies = FrequencyRange{};
  const Decision decision = site.decision();
  CHECK(decision.reason.starts_with(
      "trial: packed onto 1 of 8 nodes (2:2:2) at 1.6 GHz, predicted +25"));
  CHECK(decision.frequency == KilohertzRange{1'600'000, 1'600'000});
  CHECK(load_plan(decision.plan_file).frequency == Hertz{1.6e9});
  CHECK(*decision.slowdown == doctest::Approx(0.25));
}

TEST_CASE("where fewer nodes gain nothing, the job may run slower on its own, and saves energy") {
  SpreadSite site;
  put_frequencies(site);
  site.request.slowdown = 0.3;
  site.request.least_nodes = 8;
  CHECK_FALSE(site.decision().frequency.has_value());
  site.request.frequencies = FrequencyRange{};
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kLeave);
  CHECK(decision.frequency == KilohertzRange{1'600'000, 1'600'000});
  // 8 x (10 + 5.096) W for 125 s; 8 x 19 W for 100 s before.
  CHECK(decision.reason ==
        "no fewer nodes: at least 8 must be used; at 1.6 GHz, "
        "predicted +25.0 % time (+23.0 to +27.1), -1 % energy");
  CHECK(site.decision().frequency == decision.frequency);  // stored, too
}

TEST_CASE("with a frequency for each rank the decision names the lowest and the highest") {
  PlanningSite site;
  Profile profile = run_of(8, 1);
  profile.rank_records[3].mpi_time = {40};
  site.put("1.json", profile);
  put_frequencies(site);
  site.request.frequencies = FrequencyRange{};
  const Decision decision = site.decision();
  CHECK(decision.frequency == KilohertzRange{1'600'000, 2'000'000});
  CHECK(decision.reason.find(" at 1.6 GHz to 2 GHz by rank, ") != std::string::npos);
  const Plan plan = load_plan(decision.plan_file);
  REQUIRE(plan.rank_frequencies.size() == 8);
  CHECK(plan.rank_frequencies[3] == Hertz{1.6e9});
  CHECK(plan.rank_frequencies[4] == Hertz{2e9});
}

TEST_CASE("the nominal frequency is set only where it was asked for") {
  SpreadSite site;
  put_frequencies(site);
  site.request.frequencies = FrequencyRange{};
  CHECK_FALSE(site.decision().frequency.has_value());
  site.request.frequencies = FrequencyRange{{1.8e9}, {2.4e9}};
  CHECK(site.decision().frequency == KilohertzRange{2'000'000, 2'000'000});
}

TEST_CASE("where the machine's frequencies are unknown, auto keeps them and says so") {
  SpreadSite site;
  site.request.frequencies = FrequencyRange{};
  CHECK(site.decision().reason ==
        "trial: packed onto 1 of 8 nodes (2:2:2), predicted +0.0 % time (contention unknown); "
        "frequencies are kept: the machine document has no frequencies");
  CHECK_FALSE(site.decision().frequency.has_value());
  put_frequencies(site, false);
  CHECK(site.decision().reason.ends_with(
      "; frequencies are kept: the machine document has no power by frequency"));
  // For the least time no power is needed.
  site.request.objective = Objective::kTime;
  CHECK(site.decision().reason.starts_with("trial: packed onto 1 of 8 nodes (2:2:2) at 2 GHz"));
}

TEST_CASE("where the machine's frequencies are unknown, a range is set as asked, and said so") {
  SpreadSite site;
  site.request.frequencies = FrequencyRange{{1.2e9}, {2.4e9}};
  const Decision decision = site.decision();
  CHECK(decision.frequency == KilohertzRange{1'200'000, 2'400'000});
  CHECK(decision.reason.ends_with(
      "; what the frequency costs is unknown: the machine document has no frequencies"));
}

TEST_CASE("profiles that are given count instead of the stored ones, and the plan is kept") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const Decision stored = site.decision();
  const fs::path given = site.directory.path() / "given.json";
  save_profile(run_of(8, 2), given);
  site.request.profiles = {given};
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.reason.starts_with("trial: packed onto 1 of 4 nodes"));
  CHECK(answer.decision.plan_file != stored.plan_file);
  CHECK(fs::path(answer.decision.plan_file).parent_path() == site.folder());
  CHECK(answer.plan->made_from == std::vector<std::string>{given.string()});
  CHECK(site.decision().plan_file == answer.decision.plan_file);
  save_profile(run_of(8, 4), given);
  CHECK(site.decision().plan_file != answer.decision.plan_file);
}

TEST_CASE("a plan from given profiles makes the folder that it is kept in") {
  Site site;
  const fs::path given = site.directory.path() / "given.json";
  save_profile(run_of(8, 1), given);
  site.request.profiles = {given};
  CHECK(fs::exists(site.decision().plan_file));
}

TEST_CASE("a given profile that can't be used is an error, not a reason to measure") {
  Site site;
  site.put("1.json", run_of(8, 1));
  const fs::path given = site.directory.path() / "given.json";
  site.request.profiles = {given};
  const auto complaint = [&] { return error_of([&] { static_cast<void>(site.answer()); }); };
  CHECK(complaint() == fmt::format("can't read {}: No such file or directory", given.string()));
  Profile profile = run_of(8, 1);
  profile.complete = false;
  profile.cut_short_reason = "killed";
  save_profile(profile, given);
  CHECK(complaint() == fmt::format("the run of {} was cut short: killed (its ranks must end by "
                                   "MPI_Finalize)",
                                   given.string()));
  save_profile(run_of(4, 1), given);
  CHECK(complaint() == fmt::format("{} is of 4 ranks, not of 8", given.string()));
}

}  // namespace
}  // namespace huddle::planning
