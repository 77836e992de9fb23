#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// Whether `mpirun`, looked up where PATH is `path`, is that of Open MPI 5 or newer: a program of
/// PRRTE, which takes no component of ours, and reads other variables. False if it can't be found or
/// read. Reads the file.
bool is_prrte(const std::string& mpirun, std::string_view path);

/// The same, within a second: false if the file system does not answer.
bool is_prrte_in_time(const std::string& mpirun, const std::string& path);

}  // namespace huddle
