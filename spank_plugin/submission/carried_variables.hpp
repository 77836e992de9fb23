#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spank_plugin/submission/slurm_client.hpp"

// A variable that carries others. Decisions of a submission travel in variables, which
// --export=NONE and lists of names keep from the job; Slurm hands on those whose names begin with
// SLURM in any case.

namespace huddle::submission {

/// Holds carried variables between sbatch, salloc or srun and slurmstepd, and is seen by no program
/// of the user's.
inline constexpr const char* kCarrierVariable = "SLURM_HUDDLE";

/// True if the user's --export leaves out what we set. "ALL" and "ALL,NAME=VALUE" do not.
bool hides_environment(const SlurmClient& slurm);

/// Puts what was decided into kCarrierVariable if the environment is hidden, and unsets it if not.
/// Throws SystemError if a variable can't be set.
void carry_decision(SlurmClient& slurm);

/// The variables that a value of kCarrierVariable carries. Whatever the text says, only names of
/// kDecidedVariables are among them; of a damaged text, those before the damage.
std::vector<std::pair<std::string, std::string>> carried_variables(std::string_view text);

}  // namespace huddle::submission
