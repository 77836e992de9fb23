#include "profiles/recorder/process/launch.hpp"

#include <fmt/format.h>

#include "profiles/recorder/process/process_facts.hpp"

namespace huddle::recorder {
namespace {

// Ranks that mpirun starts on other nodes may see other Slurm variables, or none: under mpirun only
// its own count. Both its number for the run and Slurm's may come again; the ports, which the
// launchers were given by chance, keep such runs apart.
std::string name_of_run(const Environment& environment) {
  const auto text = [&](const char* name) { return text_of(environment, name); };
  const auto space = text("PMIX_NAMESPACE");
  if (const auto launcher = text("OMPI_MCA_orte_hnp_uri"); !launcher.empty())
    return fmt::format("mpirun {} {}", space, launcher);
  if (!text("SLURM_STEP_ID").empty())
    return fmt::format("slurm {} {}.{} restart {} port {} {}", text("SLURM_CLUSTER_NAME"),
                       text("SLURM_JOB_ID"), text("SLURM_STEP_ID"), text("SLURM_RESTART_COUNT"),
                       text("SLURM_SRUN_COMM_PORT"), space);
  if (!space.empty()) return std::string(space);
  // MPICH's mpiexec names no run to its ranks, but its helper on each node knows where mpiexec is.
  if (!text("PMI_RANK").empty())
    if (const std::string port = option_of_ancestor("--control-port"); !port.empty())
      return fmt::format("mpiexec {}", port);
  return {};
}

}  // namespace

// The innermost launcher first: mpirun runs inside of Slurm, and not the other way round.
Launch Launch::from(const Environment& environment) {
  struct Source {
    const char* rank;
    const char* ranks;
    const char* local_rank;
  };
  Launch launch;
  for (const Source source :
       {Source{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
        Source{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
        Source{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
        Source{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"}}) {
    launch.rank = number_of<std::uint32_t>(environment, source.rank);
    if (!launch.rank) continue;
    launch.ranks = number_of<std::uint32_t>(environment, source.ranks).value_or(0);
    launch.local_rank = number_of<std::uint32_t>(environment, source.local_rank);
    break;
  }
  launch.run = name_of_run(environment);
  return launch;
}

}  // namespace huddle::recorder
