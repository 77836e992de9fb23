#pragma once

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
#include "spank_plugin/plugin/node/task_start.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {

/// The PUs that this thread may use, put back at the end of a test.
class Affinity {
 public:
  Affinity() { ::sched_getaffinity(0, sizeof before_, &before_); }
  ~Affinity() { ::sched_setaffinity(0, sizeof before_, &before_); }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;

  [[nodiscard]] std::uint32_t first() const {
    std::uint32_t pu = 0;
    while (!CPU_ISSET(pu, &before_)) ++pu;
    return pu;
  }
  [[nodiscard]] static int count() {
    cpu_set_t now;
    ::sched_getaffinity(0, sizeof now, &now);
    return CPU_COUNT(&now);
  }
  [[nodiscard]] bool is_as_before() const {
    cpu_set_t now;
    ::sched_getaffinity(0, sizeof now, &now);
    return CPU_EQUAL(&now, &before_) != 0;
  }

 private:
  cpu_set_t before_{};
};

/// A task of a step of three ranks on two nodes, rank 1 alone on its node; this is rank 2.
struct StartedTask {
  StartedTask() {
    plan.ranks = 3;
    plan.node_pus = 4;
    plan.chosen.pattern = "1:1:2";
    plan.chosen.nodes = 2;
    plan.chosen.ranks_per_node = 2;
    plan.reference = plan.chosen;
    PuSet pu;
    pu.add(affinity.first());
    plan.placement = {{{1}, pu}, {{0}, pu}, {{1}, pu}};
    slurm->numbers = {{S_JOB_STEPID, 0},
                      {S_TASK_GLOBAL_ID, 2},
                      {S_TASK_ID, 1},
                      {S_JOB_TOTAL_TASK_COUNT, 3},
                      {S_JOB_LOCAL_TASK_COUNT, 2}};
    slurm->local_ranks = {0, 2};
    slurm->command = {program.data()};
    store::put_file(directory.path() / "huddle.toml", "");
    ::chmod((directory.path() / "huddle.toml").c_str(), 0644);  // root believes no other
  }
  // As the hook does it.
  void start() const {
    hide_distribution(slurm.handle());
    prepare_task(slurm.handle(), submission::Settings(directory.path() / "huddle.toml"));
  }
  void plan_step() {
    save_plan(plan, file());
    tell(kStepPlanWord, file());
  }
  std::string put(const std::string& name) const {
    store::put_file(directory.path() / name, "");
    return (directory.path() / name).string();
  }
  [[nodiscard]] std::string file() const { return (directory.path() / "plan.json").string(); }
  void tell(StepWord word, const std::string& value) const {
    TaskEnvironment(slurm.handle()).set(word, value);
  }
  [[nodiscard]] std::string told(StepWord word) const {
    return step_word(variable(kStepVariable), word).value_or("");
  }
  [[nodiscard]] std::string variable(const char* name) const {
    const auto found = slurm->environment.find(name);
    return found != slurm->environment.end() ? found->second : "";
  }

  SlurmForATest slurm;
  store::TemporaryDirectory directory;
  Affinity affinity;
  Plan plan;
  std::string program = "/bin/sh";
};

}  // namespace huddle::plugin
