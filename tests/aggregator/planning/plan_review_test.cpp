#include "aggregator/planning/detail/life/plan_review.hpp"

#include <doctest/doctest.h>

#include <map>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/job_claim.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

Outcome step_of(std::uint64_t job, std::optional<int> status) {
  Outcome outcome;
  outcome.user = "ann";
  outcome.label = "app";
  outcome.ranks = 8;
  outcome.treatment = Treatment::kPacked;
  outcome.run = OutcomeRun{"site", job, 0, {}, 2, *parse_utc("2026-11-22")};
  if (status) outcome.end = OutcomeEnd{Seconds{5}, *status};
  return outcome;
}

/// A folder with a plan, the records of the measured job 7, and runs of the plan.
struct Folder {
  [[nodiscard]] fs::path in(const std::string& name) const { return directory.path() / name; }
  void put(const std::string& name, const Outcome& outcome) const {
    store::put_file(in(name).string(), to_json(outcome));
  }
  // A run that left its mark.
  void run(std::uint64_t job, const Outcome& outcome) const {
    const std::string name = "outcome-20261123T000000.000Z-" + std::to_string(job) + ".0-pid1.json";
    put(name, outcome);
    store::put_file(store::unreviewed_run_path(plan(), std::to_string(job) + ".0").string(), name);
  }
  void measured(const Outcome& outcome) const {
    put("outcome-20261122T000000.000Z-7.0-pid1.json", outcome);
  }
  [[nodiscard]] fs::path plan() const { return in("plan-1.json"); }
  [[nodiscard]] std::string review(const std::string& state, bool keep = false) const {
    const auto failed = failed_run_of(
        {plan(), in("profile-20261122T000000.500Z-7.0-pid2.json"), any_steps, run_as},
        [&](std::uint64_t) { return state; }, keep);
    return failed ? words_of(*failed) : "";
  }
  bool any_steps = false;
  std::string_view run_as = "packed";
  [[nodiscard]] bool has_marks() const { return !store::unreviewed_runs(plan()).empty(); }

  store::TemporaryDirectory directory;
};

TEST_CASE("a plan whose runs ended well is followed") {
  const Folder folder;
  folder.measured(step_of(7, 0));
  CHECK(folder.review("FAILED") == "");
  folder.run(8, step_of(8, 0));
  CHECK(folder.review("COMPLETED") == "");
  CHECK_FALSE(folder.has_marks());
}

TEST_CASE("a packed job that failed where the measured one did not withdraws its plan") {
  const Folder folder;
  folder.measured(step_of(7, 0));
  folder.run(8, step_of(8, 3));
  CHECK(folder.review("FAILED") == "packed, job 8 had a step that failed with status 3");
  CHECK(folder.review("COMPLETED") == "packed, job 8 had a step that failed with status 3");
  CHECK(folder.has_marks());
}

TEST_CASE("a plan is withdrawn with the word for what it does") {
  Folder folder;
  folder.run_as = "grouped";
  folder.measured(step_of(7, 0));
  folder.run(8, step_of(8, 3));
  CHECK(folder.review("FAILED") == "grouped, job 8 had a step that failed with status 3");
}

TEST_CASE("a program that fails when it is measured, too, fails by itself") {
  const Folder folder;
  folder.measured(step_of(7, 3));
  folder.run(8, step_of(8, 3));
  CHECK(folder.review("FAILED") == "");
  CHECK_FALSE(folder.has_marks());
}

TEST_CASE("a run without an end is judged by what Slurm says of its job") {
  const std::map<std::string, std::string> broken = {
      {"TIMEOUT", "packed, job 8 ran into its time limit"},
      {"OUT_OF_MEMORY", "packed, job 8 ran out of memory"},
      {"FAILED", "packed, job 8 failed"},
      {"UNKNOWN", "packed, job 8 did not end, and Slurm does not know why any more"}};
  for (const auto& [state, why] : broken) {
    CAPTURE(state);
    const Folder folder;
    folder.run(8, step_of(8, {}));
    CHECK(folder.review(state) == why);
  }
  for (const char* state : {"CANCELLED", "PREEMPTED", "NODE_FAIL", "COMPLETED"}) {
    CAPTURE(state);
    const Folder folder;
    folder.run(8, step_of(8, {}));
    CHECK(folder.review(state) == "");
    CHECK_FALSE(folder.has_marks());
  }
  for (const char* state : {"RUNNING", "COMPLETING", "SUSPENDED", "PENDING", "EXPEDITING", ""}) {
    CAPTURE(state);
    const Folder folder;
    folder.run(8, step_of(8, {}));
    CHECK(folder.review(state) == "");
    CHECK(folder.has_marks());  // it is looked at again
  }
}

TEST_CASE("a job that somebody cancelled is no failure of the plan, whatever its status") {
  const Folder folder;
  folder.run(8, step_of(8, 143));
  CHECK(folder.review("CANCELLED") == "");
  CHECK_FALSE(folder.has_marks());
}

TEST_CASE("a packed job that launches what the measured one did not withdraws its plan") {
  Outcome setup = step_of(7, 0);
  setup.run->tasks = 8;
  setup.run->program = "setup";
  Folder folder;
  folder.measured(setup);
  Outcome alike = setup;
  alike.run->job = 8;
  folder.run(8, alike);
  CHECK(folder.review("COMPLETED") == "");
  CHECK_FALSE(folder.has_marks());
  Outcome fewer = setup;
  fewer.run->job = 9;
  fewer.run->tasks = 2;
  folder.run(9, fewer);
  CHECK(folder.review("COMPLETED") == "packed, job 9 launched 2 tasks of setup");
  folder.any_steps = true;  // the user's word
  CHECK(folder.review("COMPLETED") == "");
  folder.any_steps = false;
  fewer.run->tasks = 1;
  folder.run(10, fewer);
  CHECK(folder.review("COMPLETED") == "");
}

TEST_CASE("who only asks removes nothing, and broken marks are harmless") {
  const Folder folder;
  folder.run(8, step_of(8, 0));
  CHECK(folder.review("COMPLETED", true) == "");
  CHECK(folder.has_marks());
  store::put_file(store::unreviewed_run_path(folder.plan(), "9.0").string(), "../../../etc/passwd");
  store::put_file(store::unreviewed_run_path(folder.plan(), "10.0").string(),
                  "outcome-that-is-gone");
  CHECK(folder.review("FAILED") == "");
  CHECK_FALSE(folder.has_marks());
}

}  // namespace
}  // namespace huddle::planning
