#include "aggregator/planning/detail/narrow_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "aggregator/planning/detail/plan_names.hpp"
#include "aggregator/planning/detail/team_sizes.hpp"
#include "aggregator/planning/stored_plans.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/utc_time.hpp"
#include "tests/aggregator/recommend/tried_ranks.hpp"

namespace huddle {
namespace {

std::string pattern_of(const Plan& plan) {
  return timed_pattern(plan.chosen.pattern, plan.packed_cores_per_rank, plan.cores_per_rank);
}

/// A site where the job of TriedRanks was measured as submitted, on eight nodes.
struct TriedSite : PlanningSite {
  TriedSite() {
    save_machine(tried.machine, request.machine);
    for (RankRecord& rank : measured.rank_records) rank.packed_regions.clear();
    put("20261125T000000.000Z-1.0-pid5.json", measured);
    request.cores_per_rank = 4;
    request.nodes = 8;
    request.packs_threads = request.packs_ranks = true;
  }
  // The run of a plan of two nodes, or of one, which tried fewer cores.
  void try_on(std::uint32_t nodes) const {
    Profile packed = tried.profile;
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      packed.rank_records[rank].node = rank % nodes == 0 ? "n0" : "n1";
    put_packed("2.json", packed);
  }
  void put_packed(const std::string& name, const Profile& profile) const {
    save_profile(profile, store.make_folder(key_of(request)) / ("packed-" + name));
  }
  // Until ranks have fewer cores.
  Plan narrow_plan() const {
    try_on(decision().nodes);
    return load_plan(decision().plan_file);
  }
  // A run's time; the number of its job.
  std::uint64_t time(const Plan& plan, const std::string& pattern, std::uint32_t nodes,
                     double seconds) {
    ++job;
    store_timed_run(
        folder(), {"", plan.program.path, pattern, nodes},
        {job, std::to_string(job) + ".0",
         *parse_utc("2026-11-25T00:0" + std::to_string(job) + ":00Z"), Seconds{seconds}, ""});
    return job;
  }
  // A run of the plan whose ranks had teams of `threads` in each region.
  void run_with_teams(const Plan& plan, std::uint32_t threads,
                      std::optional<std::size_t> without = {}) {
    const std::uint64_t number = time(plan, pattern_of(plan), plan.chosen.nodes, 100);
    Profile run = measured;
    for (RankRecord& rank : run.rank_records) {
      rank.node = "n0";
      rank.pus = PuSet::parse("0-1");
      rank.openmp_regions[0].smallest_team = rank.openmp_regions[0].largest_team = threads;
    }
    if (without) run.rank_records[*without].openmp_regions.clear();
    put_packed(fmt::format("20261125T000{0}00.000Z-{0}.0-pid5.json", number), run);
  }
  // Why ranks keep their cores, as it is noted beside the plan that they have.
  static std::string why_not(const Decision& wide) {
    const auto note = no_plan_path(narrow_path(wide.plan_file));
    return parse_decision(read_file(note, 4096), note.string()).reason;
  }
  // Of the measured job: a step beside its ranks.
  void record_step(std::uint32_t tasks, Seconds elapsed, Seconds job_time) const {
    Outcome outcome;
    outcome.user = request.user;
    outcome.label = request.label;
    outcome.ranks = request.ranks;
    outcome.treatment = Treatment::kMeasured;
    outcome.run = OutcomeRun{};
    outcome.run->job = 1;
    outcome.run->step = 1;
    outcome.run->nodes = 8;
    outcome.run->tasks = tasks;
    outcome.run->program = "post";
    outcome.run->start = *parse_utc("2026-11-25");
    outcome.end = OutcomeEnd{elapsed, 0, job_time};
    put_file(folder() + "/outcome-20261125T000100.000Z-1.1-pid6.json", to_json(outcome));
  }
  TriedRanks tried{1.0};
  Profile measured = tried.profile;
  std::uint64_t job = 2;
};

}  // namespace

TEST_CASE("the planner puts such a plan in place of the other, and goes on without asking again") {
  TriedSite site;
  const Decision wide = site.decision();
  CHECK(wide.action == Decision::Action::kApply);
  CHECK(wide.packed_cores_per_rank == 0);
  site.try_on(wide.nodes);
  CHECK_FALSE(known_answer(site.store, site.request));
  for (int i = 0; i < 2; ++i) {
    const Decision narrow = site.decision();
    CHECK(narrow.nodes < wide.nodes);
    CHECK(narrow.packed_cores_per_rank == 2);
    CHECK(narrow.teams.empty());
    CHECK(narrow.teams_reason == "each rank has 2 of its 4 cores");
    CHECK(narrow.untried);
    CHECK(load_plan(narrow.plan_file).packed_cores_per_rank == 2);
  }
  CHECK(known_answer(site.store, site.request));
  site.request.packs_ranks = false;
  CHECK(site.decision().nodes == wide.nodes);

  // A run of it that is slower than the bound.
  site.request.packs_ranks = true;
  const Plan narrow = load_plan(site.decision().plan_file);
  site.time(narrow, "", 8, 100);
  // Of ranks that ask for two cores, and have them.
  site.time(narrow, narrow.chosen.pattern, narrow.chosen.nodes, 200);
  CHECK(site.decision().packed_cores_per_rank == 2);
  site.time(narrow, pattern_of(narrow), narrow.chosen.nodes, 200);
  const Decision after = site.decision();
  CHECK(after.nodes == wide.nodes);
  CHECK(after.packed_cores_per_rank == 0);
  CHECK(after.reason.find("not with ranks on fewer cores: its plan is withdrawn") !=
        std::string::npos);
}

TEST_CASE("a run whose teams kept their size is looked at once, and its plan goes on") {
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  CHECK_FALSE(narrow.teams_kept);
  CHECK(known_answer(site.store, site.request));  // nothing has run yet
  site.run_with_teams(narrow, 4);
  CHECK_FALSE(known_answer(site.store, site.request));
  for (int i = 0; i < 2; ++i) {
    const Decision decision = site.decision();
    CHECK(decision.packed_cores_per_rank == 2);
    CHECK(load_plan(decision.plan_file).teams_kept);
    CHECK(known_answer(site.store, site.request));
  }
}

TEST_CASE("teams that had another size in a run with fewer cores are given all of them again") {
  TriedSite site;
  const Decision wide = site.decision();
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  site.run_with_teams(narrow, 2);
  const std::string why =
      "; not with ranks on fewer cores: its plan is withdrawn: a team of rank 0 had 2 threads, in "
      "place of 4";
  site.request.dry_run = true;
  CHECK(site.decision().reason.ends_with(why));
  site.request.dry_run = false;
  for (int i = 0; i < 2; ++i) {
    const Decision after = site.decision();
    CHECK(after.packed_cores_per_rank == 0);
    CHECK(after.nodes == wide.nodes);
    CHECK(after.reason.ends_with(why));
    CHECK(known_answer(site.store, site.request));
  }
}

TEST_CASE("a team of one thread where there were four is another size, too") {
  TriedSite site;
  site.run_with_teams(site.narrow_plan(), 1);
  CHECK(site.decision().reason.ends_with("a team of rank 0 had 1 thread, in place of 4"));
}

TEST_CASE("a rank whose teams are not seen any more has all its cores again") {
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  site.run_with_teams(narrow, 4, 3);
  CHECK(site.decision().packed_cores_per_rank == 0);
  CHECK(site.decision().reason.ends_with(
      "its plan is withdrawn: no team of rank 3 was seen, in place of 4 threads"));
}

TEST_CASE("a run in which no teams were seen shows nothing if no other one shows what they were") {
  TriedSite site;
  Profile run = site.measured;
  CHECK(show_teams(run, site.measured));
  CHECK(show_teams(run, std::nullopt));
  for (RankRecord& rank : run.rank_records) rank.openmp_regions.clear();
  CHECK_FALSE(show_teams(run, std::nullopt));
  CHECK_FALSE(show_teams(run, run));
}

TEST_CASE("ranks keep their cores while their clocks are set, since no such runs are compared") {
  TriedSite site;
  site.try_on(site.decision().nodes);
  site.request.frequencies = FrequencyRange{};
  CHECK(site.decision().packed_cores_per_rank == 0);
  CHECK(site.decision().packed_cores_per_rank == 0);
}

TEST_CASE("a job whose other steps would be slower than the bound allows keeps its CPUs") {
  for (const auto& [elapsed, narrow] : {std::pair(4.0, true), std::pair(6.0, false)}) {
    CAPTURE(elapsed);
    TriedSite site;
    site.request.steps_are_safe = true;
    // On half of the CPUs they may take twice as long.
    site.record_step(4, Seconds{elapsed}, Seconds{100});
    site.try_on(site.decision().nodes);
    const Decision decision = site.decision();
    CHECK((decision.packed_cores_per_rank != 0) == narrow);
    if (!narrow)
      CHECK(site.why_not(decision) ==
            "its steps of post took 6 s, and may take 2 times as long on fewer CPUs");
  }
}

TEST_CASE("a job with a step of more tasks than fewer nodes have CPUs keeps them") {
  for (const auto& [tasks, narrow] : {std::pair(16U, true), std::pair(64U, false)}) {
    CAPTURE(tasks);
    TriedSite site;
    site.record_step(tasks, Seconds{0.1}, Seconds{100});
    site.try_on(site.decision().nodes);
    const Decision decision = site.decision();
    CHECK((decision.packed_cores_per_rank != 0) == narrow);
    if (!narrow) CHECK(site.why_not(decision).starts_with("its step of post has 64 tasks, and "));
  }
}

TEST_CASE("the narrow plan that a job follows stays in use") {
  namespace fs = std::filesystem;
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  const fs::path file = site.decision().plan_file;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(72);
  fs::last_write_time(file, old);
  CHECK(known_answer(site.store, site.request));
  // In the background.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (fs::last_write_time(file) <= old + std::chrono::hours(1) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(fs::last_write_time(file) > old + std::chrono::hours(1));
}

TEST_CASE("a run of the plan that left half a profile says nothing of its teams") {
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  site.measured.complete = false;
  site.run_with_teams(narrow, 2);
  CHECK(site.decision().packed_cores_per_rank == 2);
  CHECK_FALSE(load_plan(site.decision().plan_file).teams_kept);
}

TEST_CASE(
    "without trials, ranks get no fewer cores where no run shows what they do to each other") {
  TriedSite site;
  site.request.explore = Explore::kNo;
  site.request.samples = 1;
  site.try_on(8);
  CHECK(site.decision().packed_cores_per_rank == 0);
  CHECK(site.decision().packed_cores_per_rank == 0);
}

TEST_CASE("where a trial is all that is missing for ranks on fewer cores, the reason names it") {
  TriedSite site;
  site.request.explore = Explore::kNo;
  site.request.samples = 1;
  // What is on costs nothing but for its node, so that fewer cores of as many nodes save nothing.
  site.tried.machine.power = PowerFigures{{10}, {0}, {1e-6}, {1e-6}, {1e-6}, Origin::kGiven};
  save_machine(site.tried.machine, site.request.machine);
  // Two ranks on a node were measured, and eight would fit on one.
  const auto by_twos = [](Profile profile) {
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      profile.rank_records[rank].node = fmt::format("n{}", rank / 2);
      profile.rank_records[rank].pus = PuSet::parse(rank % 2 == 0 ? "0-3" : "4-7");
    }
    return profile;
  };
  site.put("20261125T000100.000Z-2.0-pid6.json", by_twos(site.measured));
  const Decision wide = site.decision();
  REQUIRE(wide.action == Decision::Action::kApply);
  CHECK(wide.nodes == 4);
  site.put_packed("3.json", by_twos(site.tried.profile));
  CHECK(site.decision().packed_cores_per_rank == 0);
  const NarrowAnswer answer = narrow_answer(site.store, site.request);
  CHECK_FALSE(answer.plan);
  CHECK(answer.may_have_trial);
  CHECK(answer.why_none ==
        "no run has shown what 8 ranks on one node do to each other, on 2 of their 4 cores each: "
        "explore = \"trial\" in huddle.toml lets one try it");
}

TEST_CASE("ranks that would gain nothing on fewer cores keep them, trials or not") {
  TriedSite site;
  site.tried = TriedRanks{3.0};
  const Decision wide = site.decision();
  site.try_on(wide.nodes);
  CHECK(site.decision().packed_cores_per_rank == 0);
  CHECK(site.why_not(wide) == "ranks on fewer cores would save nothing within the bound");
}

TEST_CASE("what is stored of ranks on fewer cores is read for those who ask") {
  TriedSite site;
  const Decision wide = site.decision();
  NarrowAnswer answer = narrow_answer(site.store, site.request);
  CHECK_FALSE(answer.plan);
  CHECK(answer.why_none.empty());
  CHECK_FALSE(answer.may_have_trial);
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  answer = narrow_answer(site.store, site.request);
  REQUIRE(answer.plan);
  CHECK(answer.plan->packed_cores_per_rank == 2);
  SUBCASE("its runs were slower than the bound") {
    site.time(narrow, "", 8, 100);
    site.time(narrow, pattern_of(narrow), narrow.chosen.nodes, 200);
    answer = narrow_answer(site.store, site.request);
    CHECK_FALSE(answer.plan);
    CHECK(answer.why_none.starts_with("its plan is withdrawn: 1 packed run took "));
  }
  put_file(narrow_path(wide.plan_file).string(), "cut sh");
  CHECK_FALSE(narrow_answer(site.store, site.request).plan);
}

TEST_CASE("a job two of whose steps ran at once keeps its CPUs") {
  TriedSite site;
  site.request.steps_are_safe = true;
  site.record_step(1, Seconds{4}, Seconds{100});
  Outcome other;
  other.user = site.request.user;
  other.label = site.request.label;
  other.ranks = site.request.ranks;
  other.treatment = Treatment::kMeasured;
  other.run = OutcomeRun{};
  other.run->job = 1;
  other.run->step = 2;
  other.run->nodes = 1;
  other.run->tasks = 1;
  other.run->program = "convert";
  other.run->start = *parse_utc("2026-11-25") + std::chrono::seconds(1);
  other.end = OutcomeEnd{Seconds{4}, 0, Seconds{100}};
  put_file(site.folder() + "/outcome-20261125T000101.000Z-1.2-pid7.json", to_json(other));
  site.try_on(site.decision().nodes);
  const Decision decision = site.decision();
  CHECK(decision.packed_cores_per_rank == 0);
  CHECK(site.why_not(decision) ==
        "in the measured run post and convert ran at once: on fewer CPUs one could wait for the "
        "other");
}

TEST_CASE("a run that tried fewer cores is found among many newer ones") {
  TriedSite site;
  site.try_on(site.decision().nodes);
  Profile later = site.measured;
  for (std::uint32_t i = 0; i < 12; ++i) site.put_packed(fmt::format("3{:02}.json", i), later);
  CHECK(site.decision().packed_cores_per_rank == 2);
}

}  // namespace huddle
