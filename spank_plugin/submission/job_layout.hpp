#pragma once

#include <vector>

#include "profiles/formats/plan/decision.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// The changes of Slurm's options by which a job gets the nodes that `decision` has for it, whole,
/// and with as many of its tasks on the fullest one.
std::vector<OptionChange> layout_changes(const SlurmClient& slurm, const Decision& decision,
                                         const SubmittedJob& job);

}  // namespace huddle
