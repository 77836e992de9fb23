#include "spank_plugin/plugin/mpirun_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "profiles/formats/launch_files.hpp"
#include "profiles/formats/plan.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preload_list.hpp"
#include "spank_plugin/launch/job_environment.hpp"
#include "spank_plugin/plugin/node_names.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

fs::path rankfile_beside(const fs::path& plan_file, const std::string& job) {
  return plan_file.parent_path() / fmt::format("job-{}.rankfile", job);
}

// A job that is over needs its rankfile no more, and nobody else is there to remove it.
void remove_old_rankfiles(const fs::path& folder) {
  constexpr std::chrono::hours kLongestJob{24 * 60};
  const auto oldest = fs::file_time_type::clock::now() - kLongestJob;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code ignored;
    if (it->path().extension() == ".rankfile" && it->last_write_time(ignored) < oldest && !ignored)
      fs::remove(it->path(), ignored);
  }
}

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
