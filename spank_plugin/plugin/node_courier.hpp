#pragma once

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/settings.hpp"

namespace huddle {

/// In slurmstepd, before a step's tasks are: starts the courier of a step that is measured
/// (huddle_courier), which belongs to the user. Without one the ranks write to the store
/// themselves; slurmd's log says why.
void start_courier(spank_t spank, const Settings& settings);

/// In a task, which is a copy of that slurmstepd: shows its ranks the courier's spool, or that
/// there is none. Throws Error if Slurm refuses.
void offer_spool(const TaskEnvironment& environment);

}  // namespace huddle
