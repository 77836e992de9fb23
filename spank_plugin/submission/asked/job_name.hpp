#pragma once

#include <string>
#include <string_view>

#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// Whether sbatch or srun gives a job this name where its user names none, after a shell or a
/// launcher for instance: it says nothing of what runs.
bool is_usual_name(std::string_view name);

/// The name of the program that the job starts on its ranks: by its batch script, or, where
/// `script` is empty, by the command line. Empty if that is not known. Reads files, for a second at
/// most.
std::string name_of_program(const SlurmClient& slurm, const std::string& script);

}  // namespace huddle
