#pragma once

#include <string>

#include "spank_plugin/plugin/task_environment.hpp"

namespace huddle {

/// A batch script may start its ranks by mpirun instead of srun. Lets Open MPI's mpirun follow the
/// plan by its own rankfile, named in the environment. Throws Error.
void prepare_mpirun(const TaskEnvironment& environment, const std::string& plan_file);

/// The same for a batch script without a plan, whose mpirun is to be recorded: preloads the helper.
/// Without a word where this node does not have it.
void preload_mpirun_helper(const TaskEnvironment& environment);

}  // namespace huddle
