#pragma once

#include "profiles/formats/plan.hpp"

namespace huddle {

/// In an srun whose step runs by a plan: lets the plan's frequencies take the place of what
/// HUDDLE_FREQUENCY says for the whole job, within that. Nothing where the submission allowed no
/// frequencies. Throws Error; the variable is as it was then.
void set_step_frequency(const Plan& plan);

}  // namespace huddle
