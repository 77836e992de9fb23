#include "spank_plugin/launch/mpirun_record.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::launch {
namespace {

constexpr const char* kRankfileOfMpirun = "OMPI_MCA_orte_rankfile";

/// The environment of an mpirun in job 17, which runs on two nodes.
struct RecordedMpirun {
  explicit RecordedMpirun(Treatment treatment) {
    Outcome promised;
    promised.user = "ann";
    promised.label = "heat";
    promised.ranks = 2;
    promised.treatment = treatment;
    set_own_step_word(kOutcomeWord, to_json(promised));
    set("SLURM_JOB_ID", "17");
    set("SLURM_JOB_NUM_NODES", "2");
  }
  ~RecordedMpirun() {
    for (const char* name :
         {kStepVariable, "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", kRankfileOfMpirun})
      ::unsetenv(name);
  }
  RecordedMpirun(const RecordedMpirun&) = delete;
  RecordedMpirun& operator=(const RecordedMpirun&) = delete;
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  [[nodiscard]] static Outcome outcome(const std::vector<std::string>& words,
                                       const std::string& plan_file) {
    auto found = mpirun_outcome(words, {}, plan_file);
    REQUIRE(found.has_value());
    return *std::move(found);
  }
};

TEST_CASE("an mpirun that follows a plan by its rankfile was placed by no user") {
  for (const Treatment treatment : {Treatment::kMeasured, Treatment::kPacked}) {
    const RecordedMpirun mpirun(treatment);
    RecordedMpirun::set(kRankfileOfMpirun, "/store/job-17.rankfile");
    const Outcome outcome = RecordedMpirun::outcome({"mpirun", "./heat"}, "/store/plan.json");
    CHECK(outcome.run->placed_by.empty());
    CHECK(outcome.plan_file == "/store/plan.json");
    CHECK(outcome.treatment == treatment);
  }
}

TEST_CASE("an mpirun without a plan was placed by the word or variable of its user") {
  const RecordedMpirun mpirun(Treatment::kMeasured);
  CHECK(RecordedMpirun::outcome({"mpirun", "./heat"}, "").run->placed_by.empty());
  RecordedMpirun::set(kRankfileOfMpirun, "/home/ann/rankfile");
  CHECK(RecordedMpirun::outcome({"mpirun", "./heat"}, "").run->placed_by == kRankfileOfMpirun);
  CHECK(RecordedMpirun::outcome({"mpirun", "--map-by", "node", "./heat"}, "").run->placed_by ==
        "--map-by");
}

TEST_CASE("an mpirun of a packed job that follows no plan ran as its user placed it") {
  const RecordedMpirun mpirun(Treatment::kPacked);
  const Outcome outcome = RecordedMpirun::outcome({"mpirun", "--map-by", "node", "./heat"}, "");
  CHECK(outcome.treatment == Treatment::kLeft);
  CHECK(outcome.run->placed_by == "--map-by");
}

}  // namespace
}  // namespace huddle::launch
