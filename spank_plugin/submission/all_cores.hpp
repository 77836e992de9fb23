#pragma once

// A step whose tasks bind themselves must have all cores of its nodes. With a number of CPUs for
// each task Slurm gives it no more than those, which it chooses itself, and where it constrains
// cores to steps (ConstrainCores in cgroup.conf) the tasks could be bound to no others.

#include <cstdint>
#include <optional>
#include <vector>

#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// Number of CPUs that each task of an srun is to have, by --cpus-per-task or --tres-per-task;
/// absent: neither says it.
std::optional<std::uint32_t> cpus_per_task(const SlurmClient& slurm);

/// The changes of srun's options by which its step gets all cores of its nodes.
std::vector<OptionChange> changes_for_all_cores(const SlurmClient& slurm);

/// Tells the tasks of a step that was changed so how many CPUs each of them has, `cpus`, as Slurm
/// does it: by SLURM_CPUS_PER_TASK. Throws SystemError.
void tell_cpus_per_task(SlurmClient& slurm, std::uint32_t cpus);

}  // namespace huddle::submission
