#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/launched_program.hpp"

namespace huddle::launch {

/// The program that the words of a command start (the first one names it; the launcher and its
/// options are not among them), where PATH is `path`: of an interpreter such as python3 the script
/// or module, of a wrapper such as numactl or env what it starts. Reads the program's file for its
/// build id. Unknown if there are no words.
LaunchedProgram launched_by(const std::vector<std::string>& command, std::string_view path);

/// `program` with "%j" in its path for each number that is `job`'s. A script that copies its
/// program to a folder named after its job, or writes a wrapper named so, starts the same one in
/// each job. Unchanged if `job` is empty.
LaunchedProgram without_job(LaunchedProgram program, std::string_view job);

/// True if `mpirun`, looked up where PATH is `path`, is that of Open MPI 5 or newer: a program of
/// PRRTE, which takes no component of ours, and reads other variables. False if it can't be found
/// or read. Reads the file.
bool is_prrte(const std::string& mpirun, std::string_view path);

/// The same, within a second: false if the file system does not answer.
bool is_prrte_in_time(const std::string& mpirun, const std::string& path);

}  // namespace huddle::launch
