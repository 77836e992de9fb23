#include "spank_plugin/plugin/client/step_record.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

/// An srun of 16 ranks in job 7, whose submission asked for a record.
struct Step {
  Step()
      : slurm({kStepVariable, "SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID",
               "SLURM_ARRAY_TASK_ID"}),
        store(directory.path()) {
    promised.user = store::current_user();
    promised.label = "halo";
    promised.ranks = 16;
    promised.treatment = Treatment::kPacked;
    promised.reason = "packed onto 2 of 8 nodes";
    store.make_folder(key());
    slurm.tell(kOutcomeStoreWord, directory.path().string());
    slurm.tell(kStepPlanWord, "/nowhere/plan.json");
    slurm->context = S_CTX_LOCAL;
    slurm->numbers = {
        {S_JOB_TOTAL_TASK_COUNT, 16}, {S_JOB_ID, 7}, {S_JOB_STEPID, 3}, {S_JOB_NNODES, 2}};
  }

  [[nodiscard]] store::StoreKey key() const {
    return {promised.user, promised.label, promised.ranks};
  }
  void start() const {
    slurm.tell(kOutcomeWord, to_json(promised));
    record_step(slurm.handle(), of_job);
  }
  [[nodiscard]] std::vector<Outcome> records() const {
    std::vector<Outcome> all;
    for (const auto& entry : std::filesystem::directory_iterator(store.folder(key())))
      all.push_back(load_outcome(entry.path()));
    return all;
  }

  bool of_job = true;
  SlurmForATest slurm;
  store::TemporaryDirectory directory;
  store::Store store;
  Outcome promised;
};

TEST_CASE("the step that the submission decided about gets a record with its numbers") {
  const Step step;
  step.start();
  const std::vector<Outcome> records = step.records();
  REQUIRE(records.size() == 1);
  REQUIRE(records[0].run);
  CHECK(records[0].run->job == 7);
  CHECK(records[0].run->step == 3U);
  CHECK(records[0].run->nodes == 2);
  CHECK_FALSE(records[0].end);
  CHECK(records[0].treatment == Treatment::kPacked);
  CHECK(records[0].plan_file == "/nowhere/plan.json");
}

TEST_CASE("the first step of a job that has a claim adds the job's number to it") {
  const Step step;
  const std::filesystem::path file = step.store.folder(step.key()) / "plan-abc.first";
  const store::JobClaim claim = store::claim_of_this_process("halo");
  REQUIRE(store::take_claim(file, claim));
  step.slurm.tell(kClaimWord, claim.token() + " plan-abc.first");
  step.start();
  CHECK(store::read_claim(file)->job == 7);
  store::end_claim(file, claim);
  REQUIRE(store::take_claim(step.directory.path() / "elsewhere.first", claim));
  step.slurm.tell(kClaimWord, claim.token() + " ../../../elsewhere.first");
  step.start();
  CHECK(store::read_claim(step.directory.path() / "elsewhere.first")->job == 0);
}

TEST_CASE("a packed job's step that no plan laid out is recorded as left alone") {
  const Step step;
  step.slurm.tell(kStepPlanWord, "");
  step.start();
  const std::vector<Outcome> records = step.records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].treatment == Treatment::kLeft);
  CHECK(records[0].reason == "this step was not laid out by the plan");
  CHECK(records[0].plan_file.empty());
}

TEST_CASE("a measured step without a plan stays measured") {
  Step step;
  step.promised.treatment = Treatment::kMeasured;
  step.slurm.tell(kStepPlanWord, "");
  step.start();
  const std::vector<Outcome> records = step.records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].treatment == Treatment::kMeasured);
}

TEST_CASE("a step of another size is recorded with it, unless the job was left as submitted") {
  Step step;
  step.slurm->numbers[S_JOB_TOTAL_TASK_COUNT] = 15;
  step.start();
  REQUIRE(step.records().size() == 1);
  CHECK(step.records()[0].is_other_step());
  CHECK(step.records()[0].run->tasks == 15U);
  CHECK(step.records()[0].treatment == Treatment::kPacked);
  Step left;
  left.promised.treatment = Treatment::kLeft;
  left.slurm->numbers[S_JOB_TOTAL_TASK_COUNT] = 15;
  left.start();
  CHECK(left.records().empty());
}

TEST_CASE("a step of a job that promised nothing, or beyond the thousandth, leaves no record") {
  const Step step;
  step.slurm->numbers[S_JOB_STEPID] = 1000;
  step.start();
  step.slurm->numbers[S_JOB_STEPID] = 3;
  step.slurm.tell(kOutcomeWord, "");
  record_step(step.slurm.handle(), true);
  CHECK(step.records().empty());
}

TEST_CASE("what Slurm does not give and what was tampered with is an error, and no record") {
  const Step step;
  for (const auto& [item, what] :
       {std::pair(S_JOB_TOTAL_TASK_COUNT, "number of tasks"), std::pair(S_JOB_ID, "job's number"),
        std::pair(S_JOB_STEPID, "step's number"), std::pair(S_JOB_NNODES, "number of nodes")}) {
    const std::uint32_t number = step.slurm->numbers[item];
    step.slurm->numbers.erase(item);
    CHECK(error_of([&] { step.start(); }) ==
          std::string("no record of this step: Slurm does not give the ") + what +
              ": made to fail");
    step.slurm->numbers[item] = number;
  }
  step.slurm.tell(kOutcomeWord, "{}");
  CHECK_THROWS_AS(record_step(step.slurm.handle(), true), FormatError);
  CHECK(step.records().empty());
}

}  // namespace
}  // namespace huddle::plugin
