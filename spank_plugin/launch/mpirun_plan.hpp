#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/vocabulary/launched_program.hpp"

namespace huddle {

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

}  // namespace huddle
