#pragma once

#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/plugin/slurm_options.hpp"

namespace huddle {

/// Whose job it is, as far as the policy has tables for it: partitions and account from the options
/// of this process, groups of the user who runs it, the primary one first. The default partition is
/// asked of Slurm if the user named none and the policy has tables for partitions. The account is
/// known only if the user names one. Throws Error if Slurm does not answer.
SubmitterIdentity submitter_of_this_process(const SlurmOptions& options, const Policy& policy);

}  // namespace huddle
