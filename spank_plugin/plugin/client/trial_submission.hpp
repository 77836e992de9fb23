#pragma once

#include <string>

#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/plugin/client/slurm_api.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::plugin {

/// The numbers of nodes that a job may have, as Slurm's description of it lists them ("2,4,8"):
/// from 23.02 on --nodes may be such a list, of which options show the least and the most. Empty:
/// there is none.
template <class Description>
std::string listed_node_counts(const Description& description) {
  if constexpr (requires { description.job_size_str; })
    return slurm_text(description.job_size_str);
  else
    return {};
}

/// Tries what Slurm would do with the job that `client` submits. `options`: Slurm's own object of
/// them. Asks the controller whether the job could ever start, and compares what it would get with
/// the limits of its association and QOS, which the controller would let it wait for in vain.
/// Throws Error if the controller does not answer, if this Slurm does not let itself be asked, or
/// if its user lists the numbers of nodes, which no change of options could put back.
submission::TrialAnswer try_submission(const ControllerAnswers& controller,
                                       const submission::SlurmClient& client, void* options);

}  // namespace huddle::plugin
