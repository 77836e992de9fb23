#pragma once

#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"

namespace huddle::submission {

/// Sets how a job that may be packed has its nodes: shared with other jobs or whole
/// (PlanRequest::shares_nodes), such that it is charged no more than as submitted unless the site
/// allows that; and the memory of its ranks, and of itself when it is packed. Throws Error if
/// Slurm's controller does not answer.
void agree_on_nodes(const SlurmClient& slurm, const Policy& policy, SubmittedJob& job);

}  // namespace huddle::submission
