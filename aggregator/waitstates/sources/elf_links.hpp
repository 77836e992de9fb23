#pragma once

// What an ELF file says of other files: where its debug information is, and which libraries it
// brought along.

#include <filesystem>
#include <vector>

namespace huddle {

/// Where distributions put debug information: below it, .build-id/xx/yyy.debug, and the files that
/// .gnu_debuglink names.
inline constexpr const char* kDebugFolder = "/usr/lib/debug";

/// The file with the debug information that was split off from the ELF file `file`: by its build
/// id, or else by the name and checksum in its .gnu_debuglink, beside it, in .debug there, or below
/// `folder`. One that is of another build does not count. Empty if there is none. No server is
/// asked.
std::filesystem::path split_debug_file(const std::filesystem::path& file,
                                       const std::filesystem::path& folder = kDebugFolder);

/// The shared libraries that `program` needs, and those need, which lie in folders that it or they
/// name themselves (DT_RUNPATH, DT_RPATH, with $ORIGIN): what was built with the program. The
/// system's are left out. At most some hundred; in the order in which they are named.
std::vector<std::filesystem::path> libraries_of_program(const std::filesystem::path& program);

}  // namespace huddle
