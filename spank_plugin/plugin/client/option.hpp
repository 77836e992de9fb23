#pragma once

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/aggregate_option.hpp"

namespace huddle::plugin {

/// Makes the option known to Slurm in this context; to be called from slurm_spank_init. False if
/// Slurm refuses. A mistake in the option ends sbatch, salloc, and an srun that makes its own job,
/// as one in any of Slurm's options does; inside a job it is reported, and the step runs as
/// without.
bool register_option(spank_t spank);

/// Slurm hands the option on in the environment of a job, for its steps. An sbatch or salloc that
/// is started inside a job would take it for its own: to be called from its slurm_spank_init.
void forget_inherited_option();

/// `--energy-aggregate` as Slurm has read it so far, complete from slurm_spank_init_post_opt on,
/// and for what that does not say, what the user's variable HUDDLE_ENERGY_AGGREGATE says. With the
/// option a mode that is left out is auto, whatever the variable says. Throws UsageError for a
/// mistake in the variable.
submission::AggregateOption option_value();

}  // namespace huddle::plugin
