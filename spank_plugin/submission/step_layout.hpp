#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spank_plugin/submission/aggregate_option.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// srun inside a job that was asked for with a plan: lays the step out as the plan says, if the
/// step is the one that the plan is for (as many ranks, not a launcher's daemons, not placed by the
/// user). Any other step is left alone. Throws Error before anything was changed, or after
/// everything was put back.
void lay_out_step(SlurmClient& slurm, const AggregateOption& option);

/// In an srun whose step runs by the plan in that file: lets the plan's frequencies take the place
/// of what HUDDLE_FREQUENCY says for the whole job, within that. Nothing where the submission
/// allowed no frequencies. What goes wrong is reported in a line, and the variable stays as it is.
void set_step_frequency(SlurmClient& slurm, const std::filesystem::path& plan_file);

/// Whether this command line of srun starts the daemons of an mpirun, which take no rank of ours.
bool starts_a_launcher(const std::vector<std::string>& command_line);

}  // namespace huddle
