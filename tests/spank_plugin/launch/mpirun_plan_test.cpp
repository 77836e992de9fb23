#include "spank_plugin/launch/mpirun_record.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/launch/job_rankfiles.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::launch {
namespace {

/// The environment of the batch script of job 17, whose plan has a companion.
struct Script {
  Script() {
    Plan plan;
    plan.ranks = 3;
    plan.node_pus = 4;
    plan.chosen.pattern = "1:1:2";
    plan.chosen.nodes = 1;
    plan.chosen.ranks_per_node = 2;
    plan.reference = plan.chosen;
    plan.placement = {{{0}, PuSet::parse("0")}, {{0}, PuSet::parse("2")}, {{0}, PuSet::parse("3")}};
    plan.program = {"/home/ann/solve", ""};
    plan.companions = {{{"/home/ann/prepare", ""}, "plan-1.json"}};
    save_plan(plan, file());
    for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
      std::ofstream(rankfile_beside(file(), "17", place))
          << "rank 0=n0 slot=0\nrank 1=n0 slot=2\nrank 2=n0 slot=4\n";
    set(kPlanVariable, file());
    set_own_step_word(kMpirunRankfileWord, rankfile_beside(file(), "17").string());
    set_own_step_word(kMpirunRanksWord, "3");
    set("SLURM_NTASKS", "3");
    set("SLURM_JOB_ID", "17");
  }
  ~Script() {
    for (const char* name : {kPlanVariable, kStepVariable, "SLURM_NTASKS", "SLURM_JOB_ID",
                             "OMPI_MCA_rmaps_base_mapping_policy"})
      ::unsetenv(name);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  [[nodiscard]] std::string file() const { return (directory.path() / "plan.json").string(); }
  [[nodiscard]] static std::optional<MpirunPlan> plan_of(const std::vector<std::string>& words) {
    return plan_of_mpirun(words, program_of_mpirun(words));
  }
  store::TemporaryDirectory directory;
};

TEST_CASE("an mpirun of the plan's program follows the plan, and of another one its companion") {
  const Script script;
  const auto own = Script::plan_of({"mpirun", "/home/ann/solve"});
  REQUIRE(own.has_value());
  CHECK(own->plan_file == script.file());
  CHECK(own->rankfile == rankfile_beside(script.file(), "17"));
  const auto companion = Script::plan_of({"mpirun", "-n", "3", "/home/ann/prepare", "x"});
  REQUIRE(companion.has_value());
  CHECK(companion->plan_file == (script.directory.path() / "plan-1.json").string());
  CHECK(companion->rankfile == rankfile_beside(script.file(), "17", 1));
}

TEST_CASE("several programs of one mpirun are one, by all their paths") {
  CHECK(program_of_mpirun({"mpirun", "-n", "1", "/a/ocean", ":", "-n", "2", "/a/air"}).path ==
        "/a/ocean : /a/air");
}

TEST_CASE("an mpirun of a program without a plan, or of fewer ranks, takes the plan's nodes") {
  const Script script;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"mpirun", "/home/ann/check"},
        std::vector<std::string>{"mpirun", "-n", "2", "/home/ann/solve"}}) {
    const auto plan = Script::plan_of(words);
    REQUIRE(plan.has_value());
    CHECK(plan->plan_file.empty());
    CHECK(plan->rankfile == rankfile_beside(script.file(), "17", 2));
  }
  CHECK_FALSE(Script::plan_of({"mpirun", "-n", "4", "/home/ann/solve"}));
}

TEST_CASE("an mpirun of one rank, or whose user places ranks, follows no plan") {
  const Script script;
  CHECK_FALSE(Script::plan_of({"mpirun", "-n", "1", "/home/ann/solve"}));
  CHECK_FALSE(Script::plan_of({"mpirun", "--map-by", "node", "/home/ann/solve"}));
  Script::set("OMPI_MCA_rmaps_base_mapping_policy", "node");
  CHECK_FALSE(Script::plan_of({"mpirun", "/home/ann/solve"}));
}

TEST_CASE("without its rankfile a plan is not followed") {
  const Script script;
  std::filesystem::remove(rankfile_beside(script.file(), "17", 1));
  CHECK_FALSE(Script::plan_of({"mpirun", "/home/ann/prepare"}));
  CHECK(Script::plan_of({"mpirun", "/home/ann/solve"}));
}

TEST_CASE("a plan whose rankfile is damaged is not followed") {
  const Script script;
  const auto file = rankfile_beside(script.file(), "17");
  for (const std::string_view text : {"", "rank 0=n0 slot=0\n", "rank 0=n0 slot=0\nrank 1=n0 slo",
                                      "rank 0=n0 slot=0\nrank 2=n0 slot=2\n"}) {
    store::put_file(file, text);
    CHECK_FALSE(Script::plan_of({"mpirun", "/home/ann/solve"}));
  }
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK_FALSE(Script::plan_of({"mpirun", "/home/ann/solve"}));
}

TEST_CASE("a job without a plan has none for its mpirun") {
  const Script script;
  ::unsetenv(kPlanVariable);
  CHECK_FALSE(Script::plan_of({"mpirun", "/home/ann/solve"}));
}

}  // namespace
}  // namespace huddle::launch
