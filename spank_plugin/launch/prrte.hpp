#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// Whether `mpirun`, looked up where PATH is `path`, is that of Open MPI 5 or newer: a program of
/// PRRTE, which takes no component of ours, and reads other variables. False if it can't be found or
/// read. Reads the file.
bool is_prrte(const std::string& mpirun, std::string_view path);

}  // namespace huddle
