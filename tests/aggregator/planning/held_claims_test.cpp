#include "aggregator/planning/detail/store/job_state.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/store/job_claim.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

const JobStates kSilent = [](std::uint64_t) { return std::string(); };

JobStates always(const std::string& state) {
  return [state](std::uint64_t) { return state; };
}

// The claim of a process of this host that is not there any more.
store::JobClaim claim_of_ended_process(std::chrono::minutes age = std::chrono::minutes(0)) {
  store::JobClaim claim = store::claim_of_this_process("halo");
  claim.process.started += 1;
  claim.made -= age;
  return claim;
}

struct Claimed : PlanningSite {
  Claimed() { store.make_folder(key_of(request)); }
  [[nodiscard]] fs::path file() const { return fs::path(folder()) / "plan-abc.first"; }
  // Tells if it is held, by a claim that is made for it.
  [[nodiscard]] bool holds(const store::JobClaim& claim, std::uint64_t job,
                           const JobStates& state) const {
    fs::remove(file());
    store::take_claim(file(), claim);
    if (job != 0) store::name_claim(file(), claim.token(), job);
    const bool held = is_held(file(), request, state);
    CHECK(held == fs::exists(file()));
    return held;
  }
};

/// Commands of Slurm's that say what a test wants.
class FakeSqueue {
 public:
  explicit FakeSqueue(const std::string& says) : path_(std::getenv("PATH")) {
    const std::string file = (directory_.path() / "squeue").string();
    store::put_file(file, fmt::format("#!/bin/sh\necho \"$SLURM_TIME_FORMAT $*\" >{}/asked\n{}\n",
                                      directory_.path().string(), says));
    ::chmod(file.c_str(), 0755);
    ::setenv("PATH", (directory_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakeSqueue() { ::setenv("PATH", path_.c_str(), 1); }
  FakeSqueue(const FakeSqueue&) = delete;
  FakeSqueue& operator=(const FakeSqueue&) = delete;
  [[nodiscard]] std::string asked() const {
    return store::get_file((directory_.path() / "asked").string());
  }

 private:
  store::TemporaryDirectory directory_;
  std::string path_;
};

std::string listed_job(const store::JobClaim& claim, std::chrono::seconds later,
                       const std::string& name) {
  const auto submitted = claim.made + later;
  return fmt::format(
      "echo '{} {}'",
      std::chrono::duration_cast<std::chrono::seconds>(submitted.time_since_epoch()).count(), name);
}

TEST_CASE("nobody holds a place without a claim") {
  const Claimed site;
  CHECK_FALSE(is_held(site.file(), site.request, kSilent));
}

TEST_CASE("a claim ends with its job, whatever the job leaves") {
  const Claimed site;
  const store::JobClaim claim = claim_of_ended_process();
  for (const char* state :
       {"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "REQUEUED", "EXPEDITING"})
    CHECK(site.holds(claim, 7, always(state)));
  for (const char* state : {"COMPLETED", "COMPLETING", "FAILED", "CANCELLED", "TIMEOUT",
                            "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "UNKNOWN"})
    CHECK_FALSE(site.holds(claim, 7, always(state)));
}

TEST_CASE("where Slurm says nothing a claim ends after hours") {
  const Claimed site;
  CHECK(site.holds(claim_of_ended_process(std::chrono::hours(5)), 7, kSilent));
  CHECK_FALSE(site.holds(claim_of_ended_process(std::chrono::hours(7)), 7, kSilent));
  const FakeSqueue broken("exit 1");
  CHECK(site.holds(claim_of_ended_process(std::chrono::hours(5)), 0, kSilent));
  CHECK_FALSE(site.holds(claim_of_ended_process(std::chrono::hours(7)), 0, kSilent));
}

TEST_CASE("a dry run leaves a claim that is over as it is") {
  Claimed site;
  store::take_claim(site.file(), claim_of_ended_process());
  store::name_claim(site.file(), claim_of_ended_process().token(), 7);
  site.request.dry_run = true;
  CHECK_FALSE(is_held(site.file(), site.request, always("COMPLETED")));
  CHECK(fs::exists(site.file()));
}

TEST_CASE("a job that has not begun holds its place while it is submitted, or may be waiting") {
  const Claimed site;
  CHECK(site.holds(store::claim_of_this_process("halo"), 0, kSilent));
  const store::JobClaim claim = claim_of_ended_process(std::chrono::minutes(60));
  {
    const FakeSqueue queue(listed_job(claim, std::chrono::seconds(1), "halo"));
    CHECK(site.holds(claim, 0, kSilent));
    CHECK(queue.asked().starts_with("%s --noheader"));
    CHECK(queue.asked().find("--user=ann") != std::string::npos);
  }
  {
    const FakeSqueue queue(listed_job(claim, std::chrono::seconds(1), "another"));
    CHECK_FALSE(site.holds(claim, 0, kSilent));
  }
  {
    const FakeSqueue queue(listed_job(claim, std::chrono::minutes(30), "halo"));
    CHECK_FALSE(site.holds(claim, 0, kSilent));
  }
  const FakeSqueue queue("");  // it was cancelled, or never submitted
  CHECK_FALSE(site.holds(claim, 0, kSilent));
}

TEST_CASE("a submission on another host has two minutes before Slurm is asked for its job") {
  const Claimed site;
  store::JobClaim claim = claim_of_ended_process();
  claim.host = "elsewhere";
  const FakeSqueue queue("");
  CHECK(site.holds(claim, 0, kSilent));
  claim.made -= std::chrono::minutes(3);
  CHECK_FALSE(site.holds(claim, 0, kSilent));
}

TEST_CASE("one job is measured, those of its kind run as submitted meanwhile") {
  PlanningSite site;
  const Decision first = site.decision();
  REQUIRE(first.action == Action::kMeasure);
  site.store.make_folder(key_of(site.request));
  REQUIRE(store::take_claim(first.claim, store::claim_of_this_process("app")));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason == store::kRunIsBeingMeasured);
  for (const bool of_script : {true, false}) {
    PlanRequest other = site.request;
    if (of_script)
      other.script = "another";
    else
      other.size = 64;
    CHECK(decide_job(site.store, other).decision.action == Action::kMeasure);
  }
  store::end_claim(first.claim, *store::read_claim(first.claim));
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("one job follows a plan first, others are compared with it meanwhile") {
  const MeasuredSite site;
  const Decision first = site.decision();
  REQUIRE(first.untried);
  REQUIRE(store::take_claim(first.claim, store::claim_of_this_process("app")));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason == store::kFirstRunIsTaken);
  CHECK(site.decision().compared);
  CHECK_FALSE(fs::exists(fs::path(first.plan_file).replace_extension(".none.json")));
  store::end_claim(first.claim, *store::read_claim(first.claim));
  CHECK(site.decision().plan_file == first.plan_file);
}

TEST_CASE("while a second run is measured it is not said that it left nothing") {
  MeasuredSite site;
  site.request.explore = Explore::kNo;
  const Decision second = site.decision();
  REQUIRE(second.action == Action::kMeasure);
  REQUIRE(second.lays_out());
  REQUIRE(store::take_claim(second.claim, store::claim_of_this_process("app")));
  CHECK(site.decision().reason == store::kRunIsBeingMeasured);
  CHECK(site.decision().reason == store::kRunIsBeingMeasured);
  store::end_claim(second.claim, *store::read_claim(second.claim));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason.find("its second measured run has left no profile") !=
        std::string::npos);
}

}  // namespace
}  // namespace huddle::planning
