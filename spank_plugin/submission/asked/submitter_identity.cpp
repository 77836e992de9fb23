#include "spank_plugin/submission/asked/submitter_identity.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::submission {

SubmitterIdentity identity_of(const SlurmClient& slurm, const Policy& policy) {
  SubmitterIdentity submitter;
  try {
    if (!policy.partitions.empty()) submitter.partitions = slurm.partitions();
    if (!policy.partitions.empty() && submitter.partitions.empty())
      throw Error("Slurm does not say which partition the job gets");
    if (!policy.accounts.empty()) submitter.account = slurm.account();
  } catch (const Error& error) {
    throw Error(fmt::format("{}, and the site's policy is not the same for all", error.what()));
  }
  if (!policy.groups.empty()) submitter.groups = slurm.groups();
  return submitter;
}

}  // namespace huddle::submission
