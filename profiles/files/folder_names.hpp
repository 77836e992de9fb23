#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace huddle::files {

/// The names of what is in a folder, in no order, without "." and ".."; none if it can't be read,
/// and no more than `most`, which is for folders that anybody may fill. For Slurm's processes:
/// libstdc++'s directory_iterator ends the process where memory runs out (its noexcept members
/// allocate), this throws std::bad_alloc.
std::vector<std::string> names_in(const std::filesystem::path& folder,
                                  std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace huddle::files
