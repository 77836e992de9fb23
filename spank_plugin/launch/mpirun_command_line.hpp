#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::launch {

/// True if the mpirun of Open MPI with these arguments (its own name first) may be given a rankfile
/// for `ranks` ranks. It ends with an error if it has to place more ranks than the file names, or
/// if the user also says where ranks go: so only if mpirun_starts() as many, and no option places
/// ranks.
bool mpirun_may_follow(const std::vector<std::string_view>& arguments, unsigned long ranks);

/// The first word behind the first that places ranks or binds them, of Open MPI's or MPICH's
/// mpirun; empty if there is none. It refers to the text of `arguments`. Behind an option that is
/// not known here one word is skipped, which may be its value or the program: then the program's
/// own options count, too, and the worst is a job that runs as its user wrote it.
std::string_view placing_word_in(const std::vector<std::string_view>& arguments);

/// True if an mpirun of Open MPI or MPICH with these arguments starts `ranks` ranks: of one
/// program,
/// `-n` being absent or equal to `ranks`, or of several (behind colons), each with its `-n`.
bool mpirun_starts(const std::vector<std::string_view>& arguments, unsigned long ranks);

/// Number of ranks that such an mpirun is asked for, of all its programs; 0: nothing says so.
std::uint32_t mpirun_count(const std::vector<std::string_view>& arguments);

/// The words of each program that such an mpirun starts, its name first; empty if it starts none,
/// or an option in front of one is not known.
std::vector<std::vector<std::string>> mpirun_programs(
    const std::vector<std::string_view>& arguments);

}  // namespace huddle::launch
