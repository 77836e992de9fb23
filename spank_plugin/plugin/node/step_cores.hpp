#pragma once

#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {

/// The PUs of each core of a step (S_STEP_ALLOC_CORES) or of its job (S_JOB_ALLOC_CORES) on this
/// node. Throws Error if Slurm does not say, or names a core that `node` lacks.
std::vector<PuSet> cores_of(spank_t spank, spank_item which,
                            const std::vector<hardware::PhysicalCore>& node);

PuSet union_of(const std::vector<PuSet>& sets);

/// Throws Error saying why, if Slurm may mean other cores than those of this step. Cores of the
/// wrong numbers could be another job's.
void check_core_numbers(spank_t spank, const std::vector<PuSet>& cores);

}  // namespace huddle::plugin
