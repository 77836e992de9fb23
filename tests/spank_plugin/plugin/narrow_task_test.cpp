// Tasks of jobs whose ranks have fewer CPUs than their user asked for.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <string>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/plugin/task_start.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"
#include "tests/spank_plugin/plugin/started_task.hpp"

namespace huddle {

TEST_CASE("a task with fewer CPUs than were asked for sees the number that was, as do its teams") {
  StartedTask task;
  const auto start = [&](std::map<std::string, std::string, std::less<>> environment) {
    task.slurm->environment = std::move(environment);
    task.start();
    return task.variable("SLURM_CPUS_PER_TASK") + " " + task.variable("OMP_NUM_THREADS");
  };
  save_plan(task.plan, task.file());
  // A step that follows the plan, without a word about CPUs, and one that asked for some.
  const std::pair<const std::string, std::string> by_slurm = {"SLURM_CPUS_PER_TASK", "1"};
  CHECK(start({by_slurm, {kCpusPerTaskVariable, "1/4"}, {kStepPlanVariable, task.file()}}) ==
        "4 4");
  CHECK(Affinity::count() == 1);
  CHECK(start({by_slurm, {kCpusPerTaskVariable, "1/4"}, {kStepCpusVariable, "8"}}) == "8 8");
  // Never over what the user says.
  CHECK(start({by_slurm,
               {kCpusPerTaskVariable, "1/4"},
               {kStepPlanVariable, task.file()},
               {"OMP_NUM_THREADS", "3"}}) == "4 3");
  // What its script took back stays away.
  CHECK(start({{kCpusPerTaskVariable, "1/4"}, {kStepPlanVariable, task.file()}}) == " 4");
  CHECK(task.variable("SLURM_TRES_PER_TASK").empty());
  // A step that keeps what it has.
  CHECK(start({{kCpusPerTaskVariable, "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}}) == "2 ");
  CHECK(start({{kCpusPerTaskVariable, "nonsense"}, {kStepPlanVariable, task.file()}}) == " ");
}

TEST_CASE(
    "where Slurm says in two variables how many CPUs a task has, both say what was asked for") {
  StartedTask task;
  for (const auto& [before, after] : {std::pair("cpu=2", "cpu=8"), std::pair("cpu:2", "cpu:8"),
                                      std::pair("license/x=1,cpu=2", "license/x=1,cpu=8"),
                                      std::pair("license/x=1", "license/x=1")}) {
    CAPTURE(before);
    task.slurm->environment = {{kCpusPerTaskVariable, "2/8"},
                               {kStepCpusVariable, "8"},
                               {"SLURM_CPUS_PER_TASK", "2"},
                               {"SLURM_TRES_PER_TASK", before}};
    task.start();
    CHECK(task.variable("SLURM_CPUS_PER_TASK") == "8");
    CHECK(task.variable("SLURM_TRES_PER_TASK") == after);
  }
}

TEST_CASE("threads of a task with fewer CPUs leave them to each other while they wait") {
  StartedTask task;
  save_plan(task.plan, task.file());
  task.slurm->environment = {{kCpusPerTaskVariable, "1/1000"},
                             {kStepPlanVariable, task.file()},
                             {kThreadsVariable, "auto"}};
  task.start();
  CHECK(task.variable("GOMP_SPINCOUNT") == "300");
  CHECK(task.variable("KMP_BLOCKTIME") == "0");
}

TEST_CASE("a task with fewer CPUs sees what was asked for, whatever Huddle may do meanwhile") {
  StartedTask task;
  save_plan(task.plan, task.file());
  task.slurm->environment = {{kCpusPerTaskVariable, "1/4"},
                             {kStepPlanVariable, task.file()},
                             {kThreadsVariable, "auto"},
                             {"SLURM_CPUS_PER_TASK", "1"}};
  const std::string policy = (task.directory.path() / "huddle.toml").string();
  SUBCASE("it is switched off") {
    put_file(policy, "enabled = false\n");
    task.start();
  }
  SUBCASE("its policy can't be read") {
    put_file(policy, "no TOML");
    CHECK_THROWS_AS(task.start(), Error);
  }
  SUBCASE("the site does not let jobs say anything about threads any more") {
    put_file(policy, "threads.allow = false\n");
    task.start();
    CHECK(task.variable(kThreadsVariable).empty());
  }
  SUBCASE("its step forgot what was decided") {
    task.slurm->environment = {
        {kCpusPerTaskVariable, "1/4"}, {kStepCpusVariable, "4"}, {"SLURM_CPUS_PER_TASK", "1"}};
    task.start();
  }
  CHECK(task.variable("SLURM_CPUS_PER_TASK") == "4");
  CHECK(task.variable("OMP_NUM_THREADS") == "4");
  CHECK(task.variable("GOMP_SPINCOUNT") == "300");
}

TEST_CASE("teams of a program that the plan was not made for are left alone") {
  StartedTask task;
  task.slurm->environment = {
      {kCpusPerTaskVariable, "1/4"}, {kStepCpusVariable, "8,other"}, {"SLURM_CPUS_PER_TASK", "2"}};
  task.start();
  CHECK(task.variable("SLURM_CPUS_PER_TASK") == "8");
  CHECK(task.variable("OMP_NUM_THREADS").empty());
}

TEST_CASE("threads of a task with fewer CPUs wait as their user says") {
  StartedTask task;
  task.slurm->environment = {
      {kStepCpusVariable, "8"}, {"SLURM_CPUS_PER_TASK", "2"}, {"OMP_WAIT_POLICY", "active"}};
  task.start();
  CHECK(task.variable("SLURM_CPUS_PER_TASK") == "8");
  CHECK(task.variable("GOMP_SPINCOUNT").empty());
}

}  // namespace huddle
