#pragma once

#include <string>

#include "profiles/formats/plan/plan.hpp"

namespace huddle {

/// In an srun whose step runs by a plan: lets the plan's frequencies take the place of what
/// HUDDLE_FREQUENCY says for the whole job, within that. Nothing where the submission allowed no
/// frequencies. What goes wrong is said in a line, and the variable stays as it is.
void set_step_frequency(const Plan& plan);
void set_step_frequency(const std::string& plan_file);

}  // namespace huddle
