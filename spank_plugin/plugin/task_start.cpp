#include "spank_plugin/plugin/task_start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "spank_plugin/launch/job_rankfiles.hpp"
#include "spank_plugin/plugin/cluster_nodes.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle {
namespace {

namespace fs = std::filesystem;

bool first_on_node(spank_t spank) {
  return spank_item_of<int>(spank, S_TASK_ID, "task's local number") == 0;
}

void preload_recorder(spank_t spank, const TaskEnvironment& environment,
                      const std::string& recorder) {
  if (::access(recorder.c_str(), R_OK) != 0) {
    if (!first_on_node(spank)) return;
    throw Error(fmt::format("not measured: the recorder {} is not on this node", recorder));
  }
  environment.set("LD_PRELOAD",
                  preload_with_recorders(environment.get("LD_PRELOAD").value_or(""), recorder));
}

// Whether the job has every core of this node. Slurm numbers them in its own way: only how many
// there are is compared.
bool node_is_whole(spank_t spank, const TaskEnvironment& environment) {
  const auto* allocated = spank_item_of<const char*>(spank, S_JOB_ALLOC_CORES, "job's cores");
  const std::string sysfs = environment.get(kSysfsVariable).value_or("/sys");
  const std::size_t cores = physical_cores(sysfs).size();
  return cores > 0 && allocated != nullptr && PuSet::parse(allocated).size() >= cores;
}

// Where ranks share a node with another job, moving them would disturb it, and be disturbed by it.
void keep_ranks_on_shared_nodes(spank_t spank, const TaskEnvironment& environment) {
  if (environment.get(kMoveRanksVariable) != "1") return;
  bool whole = false;
  try {
    whole = node_is_whole(spank, environment);
  } catch (const Error&) {  // not known: then it counts as shared
  }
  if (!whole) environment.set(kMoveRanksVariable, "0");
}

// Slurm may have laid the step out otherwise (a node that is down, another distribution): then this
// node holds other ranks than one node of the plan, and two of them could end up on one core.
void check_layout(spank_t spank, const Plan& plan, std::uint32_t rank) {
  const auto ranks = spank_item_of<std::uint32_t>(spank, S_JOB_TOTAL_TASK_COUNT, "number of tasks");
  if (ranks != plan.ranks)
    throw Error(fmt::format("the plan is for {} ranks and this step has {}", plan.ranks, ranks));
  std::set<std::uint32_t> planned;
  for (std::uint32_t other = 0; other < plan.ranks; ++other)
    if (plan.placement[other].node == plan.placement[rank].node) planned.insert(other);
  if (planned != ranks_here(spank))
    throw Error("Slurm laid the step out in another way than the plan");
}

RankPlace place_of(spank_t spank, std::uint32_t rank, const std::string& plan_file) {
  const Plan plan = load_plan(plan_file);
  if (rank >= plan.ranks)
    throw Error(fmt::format("the plan is for {} ranks and this is rank {}", plan.ranks, rank));
  check_layout(spank, plan, rank);
  return plan.placement[rank];
}

void bind(spank_t spank, const std::string& plan_file) {
  const auto rank = spank_item_of<std::uint32_t>(spank, S_TASK_GLOBAL_ID, "task's number");
  const auto unbound = [&](const Error& error) {
    return Error(
        fmt::format("rank {} is bound as Slurm does it, not as planned: {}", rank, error.what()));
  };
  RankPlace place;
  try {
    place = place_of(spank, rank, plan_file);
  } catch (const Error& error) {
    if (first_on_node(spank)) throw unbound(error);
    return;
  }
  try {
    place.pus.bind_this_thread();
  } catch (const Error& error) {
    throw unbound(error);
  }
}

void preload(const TaskEnvironment& environment, const std::string& helper) {
  environment.set("LD_PRELOAD", preload_with(environment.get("LD_PRELOAD").value_or(""), helper));
}

// A batch script may start its ranks by mpirun instead of srun. Lets Open MPI's mpirun follow the
// plan by its own rankfile, named in the environment.
void prepare_mpirun(const TaskEnvironment& environment, const std::string& plan_file) {
  const std::string helper = environment.get(kMpirunHelperVariable).value_or("");
  if (::access(helper.c_str(), R_OK) != 0)
    throw Error(fmt::format("mpirun does not follow the plan: {} is not on this node", helper));
  const Plan plan = load_plan(plan_file);
  const auto nodes = expand_node_names(environment.get("SLURM_JOB_NODELIST").value_or(""));
  const fs::path rankfile =
      rankfile_beside(plan_file, environment.get("SLURM_JOB_ID").value_or("0"));
  remove_old_rankfiles(rankfile.parent_path());
  AtomicFile file(rankfile);
  file.write(openmpi_rankfile(plan, nodes));
  file.commit();
  environment.set(kMpirunRankfileVariable, rankfile.string());
  environment.set(kMpirunRanksVariable, std::to_string(plan.ranks));
  preload(environment, helper);
}

// The same for a batch script without a plan, whose mpirun is to be recorded. Nothing happens where
// this node does not have the helper.
void preload_mpirun_helper(const TaskEnvironment& environment) {
  const std::string helper = environment.get(kMpirunHelperVariable).value_or("");
  if (::access(helper.c_str(), R_OK) == 0) preload(environment, helper);
}

// Whether Huddle has anything to do in this task, but is switched off; the first task says so.
bool is_switched_off(spank_t spank, const TaskEnvironment& environment, const Settings& settings) {
  constexpr std::array kDecided = {kRecorderVariable, kPlanVariable, kStepPlanVariable,
                                   kOutcomeVariable};
  if (std::none_of(kDecided.begin(), kDecided.end(),
                   [&](const char* name) { return environment.get(name).has_value(); }))
    return false;
  const std::string why = settings.why_switched_off(settings.policy());
  if (why.empty()) return false;
  if (spank_item_of<std::uint32_t>(spank, S_TASK_GLOBAL_ID, "task's number") == 0)
    say("{}: this step runs as Slurm places it, unmeasured", why);
  return true;
}

}  // namespace

void prepare_task(spank_t spank, const Settings& settings) {
  const TaskEnvironment environment(spank);
  if (is_switched_off(spank, environment, settings)) return;
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  if (const auto recorder = environment.get(kRecorderVariable)) {
    keep_ranks_on_shared_nodes(spank, environment);
    preload_recorder(spank, environment, *recorder);
  }
  if (step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP) {
    if (const auto plan = environment.get(kPlanVariable))
      prepare_mpirun(environment, *plan);
    else if (environment.get(kOutcomeVariable))
      preload_mpirun_helper(environment);
  } else if (const auto plan = environment.get(kStepPlanVariable)) {
    bind(spank, *plan);
  }
}

}  // namespace huddle
