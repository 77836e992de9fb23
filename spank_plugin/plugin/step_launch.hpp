#pragma once

#include "spank_plugin/plugin/option.hpp"

namespace huddle {

/// srun inside a job that was asked for with a plan: lays the step out as the plan says, if the
/// step is the one that the plan is for (as many ranks, not a launcher's daemons, not placed by the
/// user). Any other step is left alone. Throws Error before anything was changed, or after
/// everything was put back.
void lay_out_step(const OptionValue& option);

/// Whether this srun starts the daemons of an mpirun, which take no rank of ours.
bool starts_a_launcher();

}  // namespace huddle
