#include "spank_plugin/plugin/node/task_start.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"
#include "tests/spank_plugin/plugin/started_task.hpp"

namespace huddle::plugin {
namespace {

TEST_CASE("a task of a job that Huddle does nothing for starts as it is") {
  const StartedTask task;
  task.start();
  CHECK(task.slurm->environment.empty());
  CHECK(task.affinity.is_as_before());
}

TEST_CASE("a task of a measured job gets the recorder in front of what it preloads") {
  const StartedTask task;
  const std::string recorder = (task.directory.path() / "libhuddle_recorder.so").string();
  std::filesystem::copy_file("/bin/true", recorder);  // of this machine, as the task's program is
  task.slurm->environment = {
      {kRecorderVariable, recorder}, {"LD_PRELOAD", "/other.so"}, {"PATH", "/bin"}};
  task.start();
  CHECK(task.variable("LD_PRELOAD").starts_with(recorder));
  CHECK(task.variable("LD_PRELOAD").ends_with("/other.so"));
}

TEST_CASE("the threads of a task that gets the recorder sleep as HUDDLE_THREADS asks for") {
  const StartedTask task;
  const std::string recorder = (task.directory.path() / "libhuddle_recorder.so").string();
  std::filesystem::copy_file("/bin/true", recorder);  // of this machine, as the task's program is
  const std::map<std::string, std::string, std::less<>> asked = {
      {kRecorderVariable, recorder}, {"PATH", "/bin"}, {kThreadsVariable, "auto"}};
  const auto spins = [&](const char* name, const char* value) {
    task.slurm->environment = asked;
    if (name != nullptr) task.slurm->environment[name] = value;
    task.start();
    CHECK_FALSE(task.variable("LD_PRELOAD").empty());
    return task.variable("GOMP_SPINCOUNT");
  };
  CHECK(spins("OMP_NUM_THREADS", "100000") == "1");  // there are two such ranks on the node
  CHECK(task.variable("KMP_BLOCKTIME") == "0");
  // It depends on what else this machine does.
  const std::string roomy = spins("OMP_NUM_THREADS", "1");
  CHECK((roomy.empty() || roomy == "1" || roomy == "50000"));
  CHECK(spins(kThreadsVariable, "pack") == "300");
  CHECK(spins("OMP_WAIT_POLICY", "active").empty());
  CHECK(spins("GOMP_SPINCOUNT", "17") == "17");
  CHECK(spins(kThreadsVariable, "keep").empty());
  store::put_file(task.directory.path() / "huddle.toml", "threads.allow = false\n");
  CHECK(spins(nullptr, nullptr).empty());
  CHECK(task.variable(kThreadsVariable).empty());
}

TEST_CASE(
    "a task that will try its teams has a chooser beside it, and others are marked to have none") {
  if (std::thread::hardware_concurrency() < 2) return;
  const StartedTask task;
  const std::string recorder = (task.directory.path() / "libhuddle_recorder.so").string();
  std::filesystem::copy_file("/bin/true", recorder);  // of this machine, as the task's program is
  const std::filesystem::path program = task.directory.path() / "huddle_chooser";
  store::put_file(program, "#!/bin/sh\necho \"$1\" >&0\nexec cat >/dev/null\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::map<std::string, std::string, std::less<>> asked = {{kRecorderVariable, recorder},
                                                                 {"PATH", "/bin"},
                                                                 {kThreadsVariable, "pack"},
                                                                 {"OMP_NUM_THREADS", "2"},
                                                                 {kChooseVariable, "0.05 edp /m"}};
  const auto chooser = [&](const char* name, const char* value) {
    task.slurm->environment = asked;
    if (name != nullptr) task.slurm->environment[name] = value;
    task.start();
    return task.variable(kChooserVariable);
  };
  const std::string connection = chooser(nullptr, nullptr);
  REQUIRE(connection.find(':') != std::string::npos);
  const int socket = std::stoi(connection);
  std::string said(12, ' ');
  CHECK(::recv(socket, said.data(), said.size(), MSG_WAITALL) == 12);
  CHECK(said == "0.05 edp /m\n");
  ::close(socket);
  CHECK(chooser(kThreadsVariable, "auto") == "none");
  CHECK(chooser(kTeamsVariable, "bound 0.05;0 1=1") == "none");
  CHECK(chooser("OMP_NUM_THREADS", "1") == "none");
  CHECK(chooser(kChooseVariable, "").empty());
  std::filesystem::remove(program);
  CHECK(chooser(nullptr, nullptr) == "none");
}

TEST_CASE("the threads of a task that must not get the recorder wait as they are used to") {
  const StartedTask task;
  task.slurm->environment = {{kRecorderVariable, "/nowhere/recorder.so"},
                             {kThreadsVariable, "auto"}};
  task.start();
  CHECK(task.variable("GOMP_SPINCOUNT").empty());
  CHECK(task.variable("KMP_BLOCKTIME").empty());
}

TEST_CASE("where the recorder is missing one task of the node says so, and none preloads it") {
  const StartedTask task;
  task.slurm->environment = {{kRecorderVariable, "/nowhere/recorder.so"}};
  task.start();
  CHECK(task.variable("LD_PRELOAD").empty());
  task.slurm->numbers[S_TASK_ID] = 0;
  CHECK(error_of([&] { task.start(); }) ==
        "not measured: the recorder /nowhere/recorder.so is not on this node");
  CHECK(task.variable("LD_PRELOAD").empty());
}

TEST_CASE("a task of a planned step binds itself to the plan's PUs") {
  StartedTask task;
  task.plan_step();
  task.start();
  CHECK(Affinity::count() == 1);
}

TEST_CASE("a missing recorder does not keep the first task of a node from its core") {
  StartedTask task;
  task.plan_step();
  task.slurm->environment[kRecorderVariable] = "/nowhere/recorder.so";
  task.slurm->numbers[S_TASK_ID] = 0;
  CHECK(error_of([&] { task.start(); }).starts_with("not measured: "));
  CHECK(Affinity::count() == 1);
}

TEST_CASE("a step that Slurm laid out in another way than the plan is not bound") {
  StartedTask task;
  task.plan_step();
  task.slurm->numbers[S_TASK_ID] = 0;
  const std::string unbound = "rank 2 is bound as Slurm does it, not as planned: ";
  task.slurm->local_ranks = {1, 2};
  CHECK(error_of([&] { task.start(); }) ==
        unbound + "Slurm laid the step out in another way than the plan");
  task.slurm->numbers[S_JOB_LOCAL_TASK_COUNT] = 1;
  task.slurm->local_ranks = {2};
  CHECK(error_of([&] { task.start(); }) ==
        unbound + "Slurm laid the step out in another way than the plan");
  task.slurm->numbers[S_JOB_TOTAL_TASK_COUNT] = 4;
  CHECK(error_of([&] { task.start(); }) == unbound + "the plan is for 3 ranks and this step has 4");
  task.slurm->numbers[S_TASK_GLOBAL_ID] = 3;
  CHECK(error_of([&] { task.start(); }) ==
        "rank 3 is bound as Slurm does it, not as planned: the plan is for 3 ranks and this is "
        "rank 3");
  CHECK(task.affinity.is_as_before());
}

TEST_CASE("of the tasks of a node that can't follow the plan only the first complains") {
  StartedTask task;
  task.tell(kStepPlanWord, task.file());  // which is not there
  task.start();
  task.slurm->numbers[S_TASK_ID] = 0;
  CHECK_THROWS_AS(task.start(), Error);
  CHECK(task.affinity.is_as_before());
}

TEST_CASE("each task that the system does not let bind itself says so") {
  StartedTask task;
  for (RankPlace& place : task.plan.placement) place.pus = PuSet::parse("65535");
  task.plan.node_pus = 65'536;
  task.plan_step();
  CHECK(error_of([&] {
          task.start();
        }).starts_with("rank 2 is bound as Slurm does it, not as planned: "));
  CHECK(task.affinity.is_as_before());
}

/// A batch script on the job's first node.
struct Script : StartedTask {
  Script() {
    slurm->numbers[S_JOB_STEPID] = SLURM_BATCH_SCRIPT;
    save_plan(plan, file());
    slurm->environment = {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[0-1]"}};
  }
};

constexpr const char* kComponentPath = "OMPI_MCA_mca_base_component_path";

TEST_CASE("mpirun in a packed job's script gets a rankfile and our component, and no library") {
  const Script script;
  const std::string helper = script.put("mca_schizo_huddle.so");
  script.slurm->environment[kPlanVariable] = script.file();
  script.tell(kMpirunHelperWord, helper);
  script.start();
  CHECK(script.variable("LD_PRELOAD").empty());
  CHECK(script.variable(kComponentPath).find(script.directory.path().string()) !=
        std::string::npos);
  CHECK(script.told(kMpirunRanksWord) == "3");
  const std::string rankfile = store::get_file(script.told(kMpirunRankfileWord));
  CHECK(rankfile.starts_with("rank 0=n1 slot="));
  CHECK(rankfile.find("\nrank 1=n0 slot=") != std::string::npos);
  CHECK(script.variable("SLURM_TASKS_PER_NODE") == "1,2");
  CHECK(script.affinity.is_as_before());
}

TEST_CASE("a packed job's script does not see how many ranks a node its user asked for") {
  constexpr const char* kTasksPerNode = "SLURM_NTASKS_PER_NODE";
  const Script script;
  script.slurm->environment[kTasksPerNode] = "1";
  script.tell(kMpirunHelperWord, script.put("mca_schizo_huddle.so"));
  script.slurm->environment[kRecorderVariable] = "/recorder.so";
  script.start();
  CHECK(script.variable(kTasksPerNode) == "1");
  script.slurm->environment[kPlanVariable] = script.file();
  script.start();
  CHECK_FALSE(script.slurm->environment.contains(kTasksPerNode));
}

TEST_CASE("a script whose nodes are not the plan's, or without a component, gets no rankfile") {
  const Script script;
  script.slurm->environment[kPlanVariable] = script.file();
  script.tell(kMpirunHelperWord, "/nowhere/mca_schizo_huddle.so");
  CHECK(error_of([&] { script.start(); }).starts_with("mpirun starts ranks as if there were no "));
  script.tell(kMpirunHelperWord, script.put("mca_schizo_huddle.so"));
  script.slurm->environment["SLURM_JOB_NODELIST"] = "n0";
  CHECK_THROWS_AS(script.start(), Error);
  script.slurm->environment["SLURM_JOB_NODELIST"] = "";
  CHECK_THROWS_AS(script.start(), Error);
  CHECK(script.told(kMpirunRankfileWord).empty());
  CHECK(script.directory.entries() == 3);  // plan, policy and component
}

TEST_CASE("a script of a job that was left as submitted is left alone, too") {
  const Script script;
  script.tell(kOutcomeWord, "{}");
  script.start();
  CHECK(script.variable(kComponentPath).empty());
}

TEST_CASE("a task whose step has no number is left alone") {
  const StartedTask task;
  task.slurm->numbers.erase(S_JOB_STEPID);
  CHECK(error_of([&] { task.start(); }) == "Slurm does not give the step's number: made to fail");
}

}  // namespace
TEST_CASE("what a task starts is not told how its own step was laid out") {
  StartedTask task;
  const auto distribution = [&](std::map<std::string, std::string, std::less<>> environment) {
    task.slurm->environment = std::move(environment);
    task.start();
    return task.variable("SLURM_DISTRIBUTION");
  };
  save_plan(task.plan, task.file());
  CHECK(distribution({{kPlanVariable, task.file()}, {"SLURM_DISTRIBUTION", "arbitrary"}}).empty());
  CHECK(distribution({{kStepVariable, with_step_word("", kGroupingWord, task.file())},
                      {"SLURM_DISTRIBUTION", "arbitrary"}})
            .empty());
  CHECK(distribution({{kPlanVariable, task.file()}, {"SLURM_DISTRIBUTION", "cyclic"}}) == "cyclic");
  CHECK(distribution({{"SLURM_DISTRIBUTION", "arbitrary"}}) == "arbitrary");
}

}  // namespace huddle::plugin
