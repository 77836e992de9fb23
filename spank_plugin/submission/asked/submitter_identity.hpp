#pragma once

#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// Returns whose job it is, as far as the policy has tables for it. Throws Error where it can't be
/// told: what the site as a whole grants may be what the job's partition or account is denied.
SubmitterIdentity identity_of(const SlurmClient& slurm, const Policy& policy);

}  // namespace huddle::submission
