#pragma once

#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::plugin {

/// Tries what Slurm would do with the job that `client` submits. `options`: Slurm's own object of
/// them. Asks the controller whether the job could ever start, and compares what it would get with
/// the limits of its association and QOS, which the controller would let it wait for in vain.
/// Throws Error if the controller does not answer, or if this Slurm does not let itself be asked.
submission::TrialAnswer try_submission(const ControllerAnswers& controller,
                                       const submission::SlurmClient& client, void* options);

}  // namespace huddle::plugin
