#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/launched_program.hpp"

namespace huddle {

/// The program that the words of a command start (the first one names it; the launcher and its
/// options are not among them), where PATH is `path`: of an interpreter such as python3 the script
/// or module, of a wrapper such as numactl or env what it starts. Reads the program's file for its
/// build id. Unknown if there are no words.
LaunchedProgram launched_by(const std::vector<std::string>& command, std::string_view path);

/// `program` with "%j" in its path for each number that is `job`'s. A script that copies its
/// program to a folder named after its job, or writes a wrapper named so, starts the same one in
/// each job. Unchanged if `job` is empty.
LaunchedProgram without_job(LaunchedProgram program, std::string_view job);

}  // namespace huddle
