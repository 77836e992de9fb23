#pragma once

// Names that Slurm gives the cgroups of steps, from 22.05 to 26.05. In version 1 of cgroups a step
// is /slurm*/uid_USER/job_JOB/step_STEP in each hierarchy that Slurm uses. In version 2 it is
// JOB/step_STEP below the scope of all slurmstepds, with slurmstepd itself in slurm/ and the tasks
// in user/; the site chooses the slice of that scope (CgroupSlice), some builds put the node's name
// before the scope's, and JOB is job_JOB, or since 26.05 the job's SLUID (see CgroupJobIdPaths).
// So here only "step_" and "job_" are known, and what is above them is learnt from a slurmstepd.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace huddle::processes {

/// "0" for the folder "step_0", "batch" for "step_batch"; nothing for folders that are no step's.
std::optional<std::string_view> step_of_folder(std::string_view folder);

/// 17 for the folder "job_17". Nothing for other folders, among them those named by SLUID.
std::optional<std::uint32_t> job_of_folder(std::string_view folder);

/// True if a cgroup, by its path in its hierarchy, is that of a job or lies below it.
bool is_of_a_job(std::string_view path);

/// The path of a step's cgroup, given where its slurmstepd is in the same hierarchy: in that cgroup
/// or below it, or, in the freezer of version 1, in the cgroup of the job. Empty if slurmstepd is
/// anywhere else: then Slurm has made no cgroup for the step in this hierarchy, or not yet, or none
/// any more. `step` is Slurm's name of it, such as "0".
std::string step_group(std::string_view of_slurmstepd, std::string_view step);

/// True if the path is `group` or lies below it.
bool is_within(std::string_view path, std::string_view group);

/// The job of a slurmstepd by what it calls itself, "slurmstepd: [17.0]" (the folder of a SLUID
/// says nothing of a number). Nothing if the process is not root's, or serves another step than
/// `step`: users can call their processes anything.
std::optional<std::uint32_t> job_of_slurmstepd(std::uint32_t pid, std::string_view step,
                                               const std::filesystem::path& proc = "/proc");

}  // namespace huddle::processes
