#include "aggregator/planning/detail/samples/measuring.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "profiles/executables/build_id.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/job_claim.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

/// A site whose jobs are measured, and show nothing that a plan could be made from.
struct VainSite : PlanningSite {
  VainSite() {
    request.script = "abc";
    request.store = store.root();
  }
  // A measured job that asked what `asked` does.
  Outcome& measure(const PlanRequest& asked) {
    outcome = {};
    outcome.user = request.user;
    outcome.label = request.label;
    outcome.ranks = request.ranks;
    outcome.script = asked.script;
    outcome.treatment = Treatment::kMeasured;
    outcome.request = asked;
    outcome.run.emplace();
    outcome.run->job = ++job;
    outcome.run->nodes = 8;
    outcome.run->start = *parse_utc("2026-11-22");
    outcome.end = OutcomeEnd{Seconds{9}, 0};
    return outcome;
  }
  void put_record() const {
    store::put_file((store.make_folder(key_of(request)) /
                     fmt::format("outcome-20261122T000000.{:03}Z-{}.0-pid1.json", job, job))
                        .string(),
                    to_json(outcome));
  }
  void measured(const PlanRequest& asked) {
    measure(asked);
    put_record();
  }
  Outcome outcome;
  std::uint64_t job = 0;
};

TEST_CASE("two measured runs that taught nothing are enough, whatever the reason") {
  VainSite site;
  std::string why;
  SUBCASE("no profile") {
    why = "2 measured runs had no step of 8 ranks that left a profile";
  }
  SUBCASE("ranks on fewer cores") {
    site.request.cores_per_rank = 2;
    site.put("1.json", run_of(8, 1));
    why =
        "2 measured runs showed nothing to plan from: the last run had ranks on 1 core, and this "
        "job's have 2 (--cpus-per-task of sbatch and of srun say how many each rank gets)";
  }
  SUBCASE("a run that was cut short") {
    Profile profile = run_of(8, 1);
    profile.complete = false;
    profile.cut_short_reason = "rank 3 called MPI_Abort";
    site.put("1.json", profile);
    why =
        "2 measured runs showed nothing to plan from: the last run was cut short: rank 3 called "
        "MPI_Abort (its ranks must end by MPI_Finalize)";
  }
  SUBCASE("a damaged profile") {
    site.put_text("1.json", "{");
    why = "2 measured runs showed nothing to plan from: ";
  }
  site.measured(site.request);
  CHECK(site.decision().action == Action::kMeasure);
  site.measured(site.request);
  for (int i = 0; i < 3; ++i) {
    const Decision decision = site.decision();
    CHECK(decision.action == Action::kLeave);
    CHECK(decision.reason.starts_with(why));
    CHECK(decision.reason.ends_with("; profile measures it again"));
  }
}

TEST_CASE("runs of another script, size or number of cores do not count") {
  VainSite site;
  for (int i = 0; i < 2; ++i) {
    PlanRequest other = site.request;
    other.script = "another";
    site.measured(other);
    other = site.request;
    other.size = 64;
    site.measured(other);
    other = site.request;
    other.cores_per_rank = 2;
    site.measured(other);
  }
  CHECK(site.decision().action == Action::kMeasure);
  site.request.size = 64;
  CHECK(site.decision().action == Action::kLeave);
}

TEST_CASE("of records that do not say what was asked, those count of no certain size") {
  VainSite site;
  for (int i = 0; i < 2; ++i) {
    site.measure(site.request).request.reset();
    site.put_record();
  }
  CHECK(site.decision().action == Action::kLeave);
  site.request.size = 64;
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("a profile that somebody removed is wanted again") {
  VainSite site;
  for (int i = 0; i < 2; ++i) {
    site.measure(site.request).profile_file = site.folder() + "/profile-gone.json";
    site.put_record();
  }
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("a program that was built anew is measured again") {
  VainSite site;
  const std::string own = fs::read_symlink("/proc/self/exe");
  if (executables::build_id_of_file(own).empty()) return;  // a linker that writes none
  for (int i = 0; i < 2; ++i) {
    site.measure(site.request).run->launched = {own, "0123456789abcdef"};
    site.put_record();
  }
  CHECK(site.decision().action == Action::kMeasure);
  for (int i = 0; i < 2; ++i) {
    site.measure(site.request).run->launched = {own, executables::build_id_of_file(own)};
    site.put_record();
  }
  CHECK(site.decision().action == Action::kLeave);
}

TEST_CASE("a run without an end counts once Slurm says that its job is over") {
  VainSite site;
  for (int i = 0; i < 2; ++i) {
    site.measure(site.request).end.reset();
    site.put_record();
  }
  const auto action = [&](const std::string& state) {
    return measure_or_leave(site.store, site.request, "", [&](std::uint64_t) { return state; })
        .action;
  };
  CHECK(action("RUNNING") == Action::kMeasure);
  CHECK(action("") == Action::kMeasure);
  CHECK(action("NODE_FAIL") == Action::kLeave);
  CHECK(action("UNKNOWN") == Action::kLeave);
}

TEST_CASE("where scripts change each time, a new one is measured when it comes again") {
  VainSite site;
  const auto submit = [&](const std::string& script, bool dry = false) {
    site.request.script = script;
    site.request.dry_run = dry;
    const Decision decision = site.decision();
    if (decision.action == Action::kMeasure && !dry) {
      site.store.make_folder(key_of(site.request));
      store::JobClaim claim = store::claim_of_this_process("app");
      store::take_claim(decision.claim, claim);
    }
    return decision.action;
  };
  CHECK(submit("one") == Action::kMeasure);
  CHECK(submit("two") == Action::kMeasure);
  CHECK(submit("three", true) == Action::kLeave);
  CHECK(submit("three", true) == Action::kLeave);
  CHECK(submit("three") == Action::kLeave);
  CHECK(submit("four") == Action::kLeave);
  CHECK(submit("three", true) == Action::kMeasure);
  CHECK(submit("three") == Action::kMeasure);
}

}  // namespace
}  // namespace huddle::planning
