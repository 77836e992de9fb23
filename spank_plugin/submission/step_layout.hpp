#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/vocabulary/launched_program.hpp"
#include "spank_plugin/submission/asked/aggregate_option.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// srun inside a job that was asked for with a plan: lays the step out as the plan says, or the
/// plan's companion for its program, if the step is one that these are for (as many ranks, not a
/// launcher's daemons, not placed by the user). Any other step is left alone. In a measured job
/// takes the recorder from a step that can't be measured, and says so. Throws Error before anything
/// was changed, or after everything was put back.
void lay_out_step(SlurmClient& slurm, const AggregateOption& option);

/// In an srun inside a packed job, whatever became of its plan: takes back numbers that repeat
/// those of the job as submitted, where the job has no room for them now. Throws Error if Slurm
/// refuses.
void keep_within_job(SlurmClient& slurm);

/// Finds out which program this srun starts, and tells it (kProgramWord) to the step's recorder. A
/// list of programs (--multi-prog) is one program, by its file's name (kProgramListWord).
/// Unknown for the daemons of an mpirun, whose component does it.
LaunchedProgram name_program(SlurmClient& slurm);

/// In an srun whose step runs by the plan in that file: lets the plan's frequencies take the place
/// of what HUDDLE_FREQUENCY says for the whole job, within that. Nothing where the submission
/// allowed no frequencies. What goes wrong is reported in a line, and the variable stays as it is.
void set_step_frequency(SlurmClient& slurm, const std::filesystem::path& plan_file);

/// True if this command line of srun starts the daemons of an mpirun, which take no rank of ours.
bool starts_a_launcher(const std::vector<std::string>& command_line);

}  // namespace huddle::submission
