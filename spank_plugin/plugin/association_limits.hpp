#pragma once

#include <string>
#include <vector>

#include "spank_plugin/plugin/cluster_nodes.hpp"
#include "spank_plugin/submission/job_limits.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// The limits under which the job would run: of its QOS, of its partition's QOS, of its user's
/// association and of the accounts above it, in the order in which why_limits_forbid() takes them,
/// as far as the controller shows them to this user. None without accounting. Throws Error if the
/// controller does not answer.
std::vector<HeldLimits> limits_of_job(const ControllerAnswers& controller,
                                      const SlurmClient& client);

}  // namespace huddle
