#pragma once

#include <string>
#include <vector>

#include "profiles/formats/plan/plan.hpp"

namespace huddle {

/// Files that launchers read to place ranks as a plan says. Pure functions. `nodes[i]` is the host
/// that the plan's node i became; there may be more hosts than the plan needs. Each throws Error if
/// there are fewer.

/// For Slurm's `--distribution=arbitrary --nodelist=...`: the hosts in rank order, joined by
/// commas.
std::string slurm_node_list(const Plan& plan, const std::vector<std::string>& nodes);

/// For `srun`/`sbatch` SLURM_HOSTFILE: the hosts in rank order, one a line.
std::string slurm_host_file(const Plan& plan, const std::vector<std::string>& nodes);

/// For Open MPI: `rank R=HOST slot=PUS` a line. PU numbers count as physical ones, so the launcher
/// needs `rmaps_rank_file_physical` set.
std::string openmpi_rankfile(const Plan& plan, const std::vector<std::string>& nodes);

/// The same for programs that the plan was not made for: each rank may use all PUs that the plan's
/// ranks use on its node.
std::string openmpi_rankfile_of_nodes(const Plan& plan, const std::vector<std::string>& nodes);

/// The same where the nodes are shared with other jobs: each rank may use all that the job has on
/// its node.
std::string openmpi_rankfile_of_shared_nodes(const Plan& plan,
                                             const std::vector<std::string>& nodes);

/// For MPICH's `-f`: the hosts in rank order, runs of one host joined as HOST:COUNT.
std::string mpich_host_file(const Plan& plan, const std::vector<std::string>& nodes);

}  // namespace huddle
