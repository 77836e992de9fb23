#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/vocabulary/launched_program.hpp"

namespace huddle::launch {

/// The base name of the file that a process runs ("self": this one), as links lead to it; empty if
/// unknown.
std::string program_of_process(const std::string& process);

/// The words that a process was started with; none if unknown.
std::vector<std::string> words_of_process(const std::string& process);

/// The variable of this process's environment by which its user places the ranks of Open MPI's
/// mpirun; empty if there is none.
std::string_view placing_variable();

/// The record of ranks that an mpirun with these words starts; nothing if the submission asked for
/// none, or the job is left as it was submitted and mpirun starts another number of ranks.
/// `program`: what it starts. `plan_file`: the plan by which mpirun places its ranks; empty: none.
/// To be handed to begin_record(). Throws FormatError.
std::optional<Outcome> mpirun_outcome(const std::vector<std::string>& words,
                                      const LaunchedProgram& program, const std::string& plan_file);

/// The program that an mpirun with these words starts on its ranks; unknown if it starts several,
/// or none.
LaunchedProgram program_of_mpirun(const std::vector<std::string>& words);

/// A plan that an mpirun follows.
struct MpirunPlan {
  /// Empty: it has none for the program; ranks go on the nodes of the plan's ranks of their
  /// numbers, where the job's other steps look for what they leave there, and may use all cores
  /// that the plan uses of these.
  std::string plan_file;
  /// The same in Open MPI's own form.
  std::string rankfile;
};

/// The plan among those of this process's job, as the batch script's environment names them, that
/// an mpirun with these words which starts `program` is to follow; of a program without a plan, or
/// with fewer ranks, the nodes. Nothing if the user places ranks or starts more of them, or one.
/// Throws Error if the job's plan can't be read within a second.
std::optional<MpirunPlan> plan_of_mpirun(const std::vector<std::string>& words,
                                         const LaunchedProgram& program);

}  // namespace huddle::launch
