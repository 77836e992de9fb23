#include "profiles/recorder/process/launch.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace huddle::recorder;

namespace {

Launch launch_of(const std::map<std::string, std::string>& variables) {
  return Launch::from([&](const char* name) -> const char* {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second.c_str();
  });
}

}  // namespace

TEST_CASE("a process that no launcher started has no rank and no run") {
  CHECK(!launch_of({}).rank);
  CHECK(launch_of({}).ranks == 0);
  CHECK(launch_of({}).run.empty());
  CHECK(!launch_of({{"SLURM_PROCID", "x"}}).rank);
}

TEST_CASE("under mpirun inside of Slurm, mpirun's numbers count") {
  const Launch launch = launch_of({{"SLURM_PROCID", "0"},
                                   {"SLURM_STEP_NUM_TASKS", "2"},
                                   {"OMPI_COMM_WORLD_RANK", "5"},
                                   {"OMPI_COMM_WORLD_SIZE", "8"}});
  CHECK(launch.rank == 5U);
  CHECK(launch.ranks == 8);
}

TEST_CASE("under mpirun, a run has one name on nodes with and without Slurm's variables") {
  const auto run = [](std::map<std::string, std::string> variables) {
    variables.insert({{"PMIX_NAMESPACE", "604241921"},
                      {"OMPI_MCA_orte_hnp_uri", "604241920.0;tcp://10.0.0.1:37023"}});
    return launch_of(variables).run;
  };
  CHECK(!run({}).empty());
  CHECK(run({{"SLURM_JOB_ID", "7"}}) == run({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}}));
  CHECK(run({{"SLURM_JOB_ID", "7"}}) == run({}));
}

TEST_CASE("steps, restarts and launches of one Slurm job are different runs") {
  const std::map<std::string, std::string> one = {{"SLURM_JOB_ID", "7"},
                                                  {"SLURM_STEP_ID", "1"},
                                                  {"SLURM_PROCID", "3"},
                                                  {"SLURM_STEP_NUM_TASKS", "4"},
                                                  {"SLURM_SRUN_COMM_PORT", "45537"}};
  CHECK(launch_of(one).rank == 3U);
  CHECK(launch_of(one).ranks == 4);
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_SRUN_COMM_PORT", "SLURM_RESTART_COUNT"}) {
    auto other = one;
    other[name] = "9";
    CHECK(launch_of(other).run != launch_of(one).run);
  }
  auto neighbour = one;
  neighbour["SLURM_PROCID"] = "2";
  CHECK(launch_of(neighbour).run == launch_of(one).run);
}
