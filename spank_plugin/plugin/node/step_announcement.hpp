#pragma once

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

// Tells the node's huddle-energyd which steps run here, whether there is one or not: see
// profiles/energyd/steps/step_notice.hpp.

/// slurmstepd, before the tasks of a step start. Throws Error.
void announce_step(spank_t spank, const submission::Settings& settings);

/// slurmstepd, at the end of the step: takes that back.
void withdraw_step() noexcept;

/// The epilog: takes back what killed slurmstepds of the job left. Where Slurm does not say which
/// job it is, that stays: the end of its processes says the same.
void withdraw_steps_of_job(spank_t spank);

}  // namespace huddle::plugin
