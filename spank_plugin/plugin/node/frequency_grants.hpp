#pragma once

#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

/// In slurmstepd: the policy for this step's job, by the partition, account and groups that root
/// may believe: those of Slurm, never of the job's environment. Throws Error where a table may
/// decide about frequencies and nobody knows the job's partition and account.
Policy policy_for_job(spank_t spank, const Policy& site);

/// In slurmstepd: throws Error, which says what to do, if slurmd has not loaded the plugin. Nobody
/// would restore clocks after its jobs then.
void check_slurmd();

/// The prolog: keeps the job's partition and account for its steps, where the policy's grants
/// depend on them. Throws Error.
void keep_job_scope_for_steps(spank_t spank, const submission::Settings& settings);

}  // namespace huddle::plugin
