#pragma once

#include <string>
#include <vector>

#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/submission/job_limits.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::plugin {

/// The limits under which the job would run: of its QOS, of its partition's QOS, of its user's
/// association and of the accounts above it, in the order in which why_limits_forbid() takes them,
/// as far as the controller shows them to this user. None without accounting. Throws Error if the
/// controller does not answer.
std::vector<submission::HeldLimits> limits_of_job(const ControllerAnswers& controller,
                                                  const submission::SlurmClient& client);

/// The account that the job would get, as Slurm spells it: the one that its user names, or the
/// default one. Without accounting it is what the user says. Throws Error if the controller does
/// not answer, and if the user has no such account: then Slurm refuses the job, or gives it another
/// one.
std::string account_of(const ControllerAnswers& controller, const submission::SlurmClient& client);

}  // namespace huddle::plugin
