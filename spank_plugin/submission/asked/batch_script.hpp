#pragma once

// Facts that the text of a batch script reveals about its job before it runs. Shells are not
// interpreted: a script may do what its text does not show, which the records of its steps reveal
// later.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/asked/refusal.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// A longer script is looked at up to here.
inline constexpr std::size_t kMostScriptBytes = std::size_t{1} << 20U;

/// True if the lines at the script's front, those that begin with "#", include "#SBATCH hetjob" (or
/// "packjob", its former name): the script asks for a heterogeneous job, of several parts.
bool asks_for_several_parts(std::string_view script);

/// True if a command line of sbatch, salloc or srun, its own name first, has a ":" of its own,
/// which parts a heterogeneous job.
bool parts_its_command_line(const std::vector<std::string>& words);

/// Refuses fewer nodes to a script that might do something else there: it uses one of Slurm's
/// variables that depend on the nodes, lists its nodes, passes an option to srun or mpirun that
/// places ranks otherwise than a plan does, or starts a step of several parts (srun's ":").
/// Comments, lines that only print, and numbers that repeat `job`'s don't count. Takes time in
/// proportion to the text.
Verdict script_keeps_nodes(std::string_view script, const RequestedSize& job);

/// Tells if these words of an srun, its own name first, have an option that places its tasks, such
/// as a number of nodes.
bool places_step(const std::vector<std::string>& words);

/// The words of the first program that the script lets srun or mpirun start, its name first, as far
/// as its text shows; empty if it shows none.
std::vector<std::string> launched_in_script(std::string_view script);

/// A digest by which jobs of one name are distinguished: of the script's commands, without comments
/// (and so without lines #SBATCH), blank lines and indentation, and of its arguments. It does not
/// withstand an adversary.
std::string script_digest(std::string_view script, const std::vector<std::string>& arguments);

/// True if sbatch or srun gives a job this name where its user names none, after a shell or a
/// launcher for instance: it says nothing of what runs.
bool is_usual_name(std::string_view name);

/// The name of the program that the job starts on its ranks: by its batch script, or, where
/// `script` is empty, by the command line. Empty if that is not known. Reads files, for a second at
/// most.
std::string name_of_program(const SlurmClient& slurm, const std::string& script);

}  // namespace huddle::submission
