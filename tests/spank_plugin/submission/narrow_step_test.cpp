// Steps of jobs whose ranks have fewer CPUs than their user asked for.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/narrow_job.hpp"
#include "spank_plugin/submission/step_layout.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle {
namespace {

/// A step of such a job that asks for `cpus` a task.
std::string cpus_of_step(FakeSlurm& slurm, const char* cpus, const char* tasks = "16") {
  slurm.variables[kCpusPerTaskVariable] = "2/4";
  slurm.defaults["ntasks"] = tasks;
  if (cpus != nullptr) slurm.options["cpus-per-task"] = cpus;
  fit_step_into_narrow_job(slurm);
  return slurm.is_set("cpus-per-task") ? slurm.get("cpus-per-task") : "none";
}

}  // namespace

TEST_CASE(
    "a step of such a job asks for fewer CPUs a task in proportion, and its tasks see the number") {
  FakeSlurm slurm;
  const auto noted = [&] { return slurm.variable(kStepCpusVariable).value_or("none"); };
  SUBCASE("as many as the job's user asked for") {
    CHECK(cpus_of_step(slurm, "4") == "2");
    CHECK(noted() == "4");
  }
  SUBCASE("more") {
    CHECK(cpus_of_step(slurm, "8", "8") == "4");
    CHECK(noted() == "8");
  }
  SUBCASE("an odd number, which rounds down so that it fits") {
    CHECK(cpus_of_step(slurm, "3") == "1");
    CHECK(noted() == "3");
  }
  SUBCASE("one") {
    CHECK(cpus_of_step(slurm, "1") == "1");
    CHECK(noted() == "none");
  }
  SUBCASE("none, though the step that starts it did") {
    slurm.variables[kStepCpusVariable] = "4";
    CHECK(cpus_of_step(slurm, nullptr) == "none");
    CHECK(noted() == "none");
  }
  SUBCASE("of its only task") {
    CHECK(cpus_of_step(slurm, "4", "1") == "4");
    CHECK(noted() == "none");
  }
  SUBCASE("of an mpirun's daemons") {
    slurm.words = {"srun", "--cpus-per-task=4", "orted"};
    CHECK(cpus_of_step(slurm, "4", "2") == "4");
  }
  SUBCASE("where Slurm does not take it") {
    slurm.refused = "cpus-per-task";
    CHECK(cpus_of_step(slurm, "4") == "4");
    CHECK(noted() == "none");
  }
}

TEST_CASE("a step's CPUs become fewer wherever Slurm says how many they are") {
  FakeSlurm slurm;
  SUBCASE("by its job's two variables") {
    slurm.options["tres-per-task"] = "cpu=4";
    CHECK(cpus_of_step(slurm, "4") == "2");
    CHECK(slurm.get("tres-per-task") == "cpu=2");
    CHECK(slurm.variable(kStepCpusVariable) == "4");
  }
  SUBCASE("by the newer option alone") {
    slurm.options["tres-per-task"] = "cpu:8";
    CHECK(cpus_of_step(slurm, nullptr, "8") == "4");
    CHECK(slurm.get("tres-per-task") == "cpu:4");
    CHECK(slurm.variable(kStepCpusVariable) == "8");
  }
  SUBCASE("beside something else") {
    slurm.options["tres-per-task"] = "cpu=4,license/x=1";
    CHECK(cpus_of_step(slurm, "4") == "2");
    CHECK(slurm.get("tres-per-task") == "cpu=2,license/x=1");
  }
  SUBCASE("not beside devices, which its job does not have") {
    slurm.options["tres-per-task"] = "cpu=4,gres/gpu=1";
    CHECK(cpus_of_step(slurm, "4") == "4");
    CHECK(slurm.get("tres-per-task") == "cpu=4,gres/gpu=1");
  }
  SUBCASE("not where Slurm refuses one of them") {
    slurm.defaults["tres-per-task"] = "cpu=4";
    slurm.refused = "tres-per-task";
    CHECK(cpus_of_step(slurm, "4") == "4");
    CHECK(slurm.get("tres-per-task") == "cpu=4");
    CHECK_FALSE(slurm.variable(kStepCpusVariable));
  }
}

TEST_CASE(
    "a step of more tasks than such a job has CPUs shares them, if it fit in the job before") {
  FakeSlurm slurm;
  slurm.variables["SLURM_JOB_CPUS_PER_NODE"] = "8(x2)";
  const auto crowded = [&](const char* cpus, const char* tasks) {
    slurm.options.clear();
    cpus_of_step(slurm, cpus, tasks);
    return slurm.options.contains("overcommit");
  };
  CHECK_FALSE(crowded(nullptr, "16"));
  CHECK(crowded(nullptr, "17"));
  CHECK(crowded(nullptr, "32"));
  CHECK_FALSE(crowded(nullptr, "33"));  // as it was submitted it did not fit either
  CHECK(crowded("1", "32"));
  CHECK_FALSE(crowded("4", "8"));
  CHECK(crowded("3", "20"));
  CHECK_FALSE(crowded(nullptr, "1"));
  slurm.refused = "overcommit";
  CHECK_FALSE(crowded("3", "20"));
  CHECK(slurm.options.at("cpus-per-task") == "1");
  slurm.refused.clear();
  slurm.variables["SLURM_JOB_CPUS_PER_NODE"] = "nonsense";
  CHECK_FALSE(crowded(nullptr, "32"));
}

TEST_CASE("a step's memory by the CPU is as much for each task as it was") {
  FakeSlurm slurm;
  const auto memory = [&](const char* by_cpu, const char* cpus) {
    slurm.options["mem-per-cpu"] = by_cpu;
    cpus_of_step(slurm, cpus);
    return slurm.options.at("mem-per-cpu");
  };
  CHECK(memory("1G", "4") == "2048M");
  CHECK(memory("100M", "3") == "300M");
  CHECK(memory("0", "4") == "0");
  CHECK(memory("100M", "1") == "100M");
  CHECK(memory("17592186044415M", "1000000") == "17592186044415M");
}

TEST_CASE("a step fits whatever else becomes of it") {
  FakeSlurm slurm;
  slurm.options["cpus-per-task"] = "4";
  slurm.defaults["ntasks"] = "16";
  slurm.variables = {{kCpusPerTaskVariable, "2/4"}, {kPlanVariable, "/nowhere/plan.json"}};
  std::string option;
  SUBCASE("its plan can't be read") {
    CHECK_THROWS_AS(lay_out_step(slurm, {}), Error);
  }
  SUBCASE("its user places it") {
    slurm.options["cpu-bind"] = "cores";
    CHECK_THROWS_AS(lay_out_step(slurm, {}), Error);
  }
  SUBCASE("its user wants nothing of Huddle") {
    lay_out_step(slurm, parse_aggregate_option("off", "option"));
    CHECK_FALSE(slurm.variables.contains(kPlanVariable));
    CHECK(slurm.variables.at(kStepCpusVariable) == "4");
    CHECK(slurm.variables.at(kCpusPerTaskVariable) == "2/4");  // of the steps that it starts
    forget_what_was_decided(slurm);                            // in a job that it submits
    CHECK_FALSE(slurm.variables.contains(kCpusPerTaskVariable));
  }
  CHECK(slurm.options.at("cpus-per-task") == "2");
}

TEST_CASE("only of the plan's own program are teams to keep their size") {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "plan.json").string();
  Plan plan;
  plan.ranks = 2;
  plan.node_pus = 8;
  plan.program = {"/home/ann/hybrid", ""};
  plan.chosen.nodes = 1;
  plan.chosen.ranks_per_node = 2;
  plan.reference = plan.chosen;
  plan.placement = {{{0}, PuSet::parse("0-1")}, {{0}, PuSet::parse("2-3")}};
  save_plan(plan, file);
  for (const auto& [program, noted] :
       {std::pair("/home/ann/hybrid", "8"), std::pair("/home/ann/post", "8,other")}) {
    CAPTURE(program);
    FakeSlurm slurm;
    slurm.words = {"srun", program};
    slurm.program_words = {program};
    slurm.options["cpus-per-task"] = "8";
    slurm.defaults = {{"ntasks", "4"}};
    slurm.variables = {{kCpusPerTaskVariable, "2/8"}, {kPlanVariable, file}};
    lay_out_step(slurm, {});
    CHECK(slurm.variables.at(kStepCpusVariable) == noted);
    CHECK(is_of_other_program(noted) == (std::string(noted) != "8"));
  }
}

}  // namespace huddle
