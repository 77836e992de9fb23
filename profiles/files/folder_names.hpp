#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace huddle {

/// The names of what is in a folder, in no order, without "." and ".."; none if it can't be read.
/// For Slurm's processes: libstdc++'s directory_iterator ends the process where memory runs out
/// (its noexcept members allocate), this throws std::bad_alloc.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace huddle
