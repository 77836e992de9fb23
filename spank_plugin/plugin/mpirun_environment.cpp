#include "spank_plugin/plugin/mpirun_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preload_list.hpp"
#include "profiles/vocabulary/job_environment.hpp"
#include "spank_plugin/launch/job_rankfiles.hpp"
#include "spank_plugin/plugin/node_names.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

void preload(const TaskEnvironment& environment, const std::string& helper) {
  environment.set("LD_PRELOAD", preload_with(environment.get("LD_PRELOAD").value_or(""), helper));
}

}  // namespace

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

void preload_mpirun_helper(const TaskEnvironment& environment) {
  const std::string helper = environment.get(kMpirunHelperVariable).value_or("");
  if (::access(helper.c_str(), R_OK) == 0) preload(environment, helper);
}

}  // namespace huddle
